// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * sharers.c - other processes that execute a process's memory.
 *
 * Owns: the search for a process that has the same memory, but is none of its threads:
 * clone(CLONE_VM) makes one.  Breakpoints affect both, but each has its own signal handlers.  A
 * child of vfork() shares the memory as well, but only for a moment.
 */
#include "attach_cli.h"

#include <dirent.h>
#include <errno.h>
#include <linux/kcmp.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

pid_t process_sharer(pid_t pid)
{
	struct dirent *entry;
	DIR *dir = opendir("/proc");
	pid_t other, found = dir ? 0 : -1;
	long same;

	while (dir && !found && (entry = readdir(dir))) {
		other = (pid_t)atoi(entry->d_name);
		if (other <= 0 || other == pid)
			continue;
		same = syscall(SYS_kcmp, pid, other, KCMP_VM, 0, 0);
		if (!same)
			found = other;
		/* Whom we may not ask about runs with other rights, or has gone. */
		else if (same < 0 && errno != EPERM && errno != ESRCH)
			found = -1;
	}
	if (dir)
		closedir(dir);
	return found;
}
