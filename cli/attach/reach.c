// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * reach.c - files that a process is to load.
 *
 * Owns: whether a name leads the process to the same file as us, whether its user may open that
 * file, and a copy in memory for a process that may not.
 */
#include "attach_cli.h"
#include "cli.h"
#include "view.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

bool cli_same_file(pid_t pid, const char *path)
{
	int there = view_inside(pid, path);
	struct stat a, b;
	bool same;

	if (there < 0)
		return false;
	same = !stat(path, &a) && !fstat(there, &b) && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
	close(there);
	return same;
}

/* The number with which the process comes to files: the last of four. */
static long file_id(pid_t pid, const char *field)
{
	char text[128];
	long id;

	if (!remote_status(pid, pid, field, text, sizeof(text)) ||
	    sscanf(text, "%*d %*d %*d %ld", &id) != 1)
		return -1;
	return id;
}

/*
 * In a child: what the process may open, may this.  Only for files: with the
 * user's own number the process could send it signals, such as one that stops
 * it while we wait.
 */
static bool become(pid_t pid, long uid, long gid)
{
	gid_t groups[256];
	char text[4096], *at = text, *end;
	size_t nr = 0;

	if (!remote_status(pid, pid, "Groups", text, sizeof(text)))
		return false;
	for (; nr < sizeof(groups) / sizeof(groups[0]); at = end) {
		gid_t group = (gid_t)strtoul(at, &end, 10);

		if (end == at)
			break;
		groups[nr++] = group;
	}
	if (setgroups(nr, groups))
		return false;
	setfsgid((gid_t)gid);
	setfsuid((uid_t)uid);
	/* Each returns what was set before, and nothing else. */
	return setfsgid((gid_t)-1) == (int)gid && setfsuid((uid_t)-1) == (int)uid;
}

/* Only root comes to other users' processes. */
bool cli_opens(pid_t pid, const char *path)
{
	long uid = file_id(pid, "Uid"), gid = file_id(pid, "Gid");
	pid_t child;
	int status;

	if (geteuid() || uid <= 0)
		return true;
	child = fork();
	if (!child)
		_exit(!become(pid, uid, gid) ||
		      open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) < 0);
	return child > 0 && waitpid(child, &status, 0) == child && !status;
}

int cli_copy_file(int from, int to)
{
	char buf[65536];
	off_t at = 0;
	ssize_t got;

	while ((got = pread(from, buf, sizeof(buf), at)) > 0) {
		if (write(to, buf, (size_t)got) != got)
			return EIO;
		at += got;
	}
	return got < 0 ? errno : 0;
}

int cli_private_copy(int file, const char *name)
{
	char shown[200];		/* there is a limit */
	int copy, err;

	snprintf(shown, sizeof(shown), "%s", name);
	copy = memfd_create(shown, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (copy < 0)
		return -errno;
	err = cli_copy_file(file, copy);
	if (!err)
		err = take_seal(copy);
	if (!err)
		return copy;
	close(copy);
	return -err;
}
