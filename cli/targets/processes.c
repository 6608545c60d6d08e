// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * processes.c - processes that are probed, or that have a name.
 *
 * Owns: the search through /proc.  A process is probed if the library is mapped into it and
 * started.  Processes that may not be examined are skipped.
 */
#include "attach_cli.h"
#include "cli.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool has_library(pid_t pid)
{
	char path[64], *line = NULL;
	size_t room = 0;
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	while (!found && getline(&line, &room, file) > 0)
		found = strstr(line, "libkprobes.so") != NULL;
	free(line);
	fclose(file);
	return found;
}

static bool is_started(pid_t pid)
{
	struct process process;
	bool started;

	if (process_examine(&process, pid))
		return false;
	started = process.surface_at &&
		  process.surface.state != KP_ATTACH_NONE &&
		  process.surface.state != KP_ATTACH_INERT;
	process_end(&process);
	return started;
}

static int by_number(const void *a, const void *b)
{
	return *(const pid_t *)a - *(const pid_t *)b;
}

int cli_processes(void (*each)(void *arg, pid_t pid), void *arg)
{
	pid_t *pids = NULL, *more;
	size_t nr = 0, i;
	struct dirent *entry;
	DIR *dir = opendir("/proc");

	if (!dir) {
		cli_error("/proc cannot be read: %s", strerror(errno));
		return CLI_FAILED;
	}
	while ((entry = readdir(dir))) {
		pid_t pid = (pid_t)atoi(entry->d_name);

		if (pid <= 0 || !has_library(pid))
			continue;
		more = realloc(pids, (nr + 1) * sizeof(*pids));
		if (!more)
			break;
		pids = more;
		pids[nr++] = pid;
	}
	closedir(dir);
	if (nr)
		qsort(pids, nr, sizeof(*pids), by_number);
	for (i = 0; i < nr; i++)
		if (is_started(pids[i]))
			each(arg, pids[i]);
	free(pids);
	return CLI_OK;
}

/* By the last part of its path. */
static bool runs(pid_t pid, const char *name)
{
	char path[64], file[4096], *slash;
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	len = readlink(path, file, sizeof(file) - 1);
	file[len > 0 ? len : 0] = 0;
	slash = strrchr(file, '/');
	return slash && !strcmp(slash + 1, name);
}

int cli_processes_called(const char *name, void (*each)(void *arg, pid_t pid),
			 void *arg)
{
	struct dirent *entry;
	DIR *dir = opendir("/proc");
	char comm[32];
	int nr = 0;

	while (dir && (entry = readdir(dir))) {
		pid_t one = (pid_t)atoi(entry->d_name);

		if (one <= 0 || one == getpid() ||
		    (strcmp(remote_comm(one, comm), name) && !runs(one, name)))
			continue;
		each(arg, one);
		nr++;
	}
	if (dir)
		closedir(dir);
	return nr;
}
