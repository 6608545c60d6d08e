// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * locked.c - does a process lock all memory that it maps?
 *
 * Owns: the question, once the mailbox is mapped (mlockall with MCL_FUTURE; the kernel
 * shows of a mapping whether it is locked), and what follows from that: the library, its
 * stacks and the C library's heaps for its threads would be locked, too, within the limit
 * that the program has for its own.
 */
#include "attach_cli.h"
#include "cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define CAP_IPC_LOCK (1ull << 14)
/* A heap of the C library's is looked for in twice its 64 MB; the rest is ours. */
#define NEEDED_KB (144l * 1024)

static bool is_locked(pid_t pid, uint64_t addr)
{
	char path[64], line[512];
	uint64_t start, end;
	bool within = false, locked = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/smaps", (int)pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &start, &end) == 2) {
			if (within)
				break;
			within = addr - start < end - start;
		} else if (within && !strncmp(line, "VmFlags:", 8)) {
			locked = strstr(line, " lo ");
		}
	}
	if (file)
		fclose(file);
	return locked;
}

/* The limit, in bytes; -1: none, or it is not known.  prlimit(2) asks for other rights. */
static int64_t limit_of(pid_t pid)
{
	char path[64], line[256];
	int64_t limit = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/limits", (int)pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "Max locked memory %" SCNd64, &limit) == 1)
			break;
	if (file)
		fclose(file);
	return limit;
}

int cli_locked_check(pid_t pid, uint64_t mailbox)
{
	int64_t limit, locked;

	if ((uint64_t)remote_status_number(pid, pid, "CapEff", 16) & CAP_IPC_LOCK ||
	    !is_locked(pid, mailbox))
		return CLI_OK;
	limit = limit_of(pid);
	locked = remote_status_number(pid, pid, "VmLck", 10);
	if (limit < 0 || limit / 1024 - locked >= NEEDED_KB)
		return CLI_OK;
	return process_failed(
		pid, CLI_REFUSED,
		" locks all memory that it maps (mlockall), ours too, and may lock %ld MB: that would leave too little for its own; raise the limit (prlimit --pid %d --memlock=unlimited), or start it with \"kprobes load ... -- COMMAND\"",
		(long)(limit >> 20), (int)pid);
}
