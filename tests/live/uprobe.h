/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * uprobe.h - uprobes of the kernel's, in the calling process.
 *
 * Owns: how a test asks perf_event_open for one, and why it cannot have one.
 */
#ifndef KP_LIVE_UPROBE_H
#define KP_LIVE_UPROBE_H

#include "live.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>

static inline int uprobe_type(void)
{
	FILE *file = fopen("/sys/bus/event_source/devices/uprobe/type", "r");
	int type = -1;

	if (!file)
		return -1;
	if (fscanf(file, "%d", &type) != 1)
		type = -1;
	fclose(file);
	return type;
}

/* Where in the program's file a function begins. */
static inline unsigned long uprobe_offset(unsigned long addr)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long start, end, offset, found = 0;
	char line[512];

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 &&
		    addr >= start && addr < end)
			found = addr - start + offset;
	if (maps)
		fclose(maps);
	return found;
}

static inline int uprobe_try(int (*fn)(int), bool at_return)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = (unsigned int)uprobe_type(),
		.config = at_return,
		.config1 = (unsigned long)"/proc/self/exe",
		.config2 = uprobe_offset((unsigned long)fn),
	};

	return (int)syscall(SYS_perf_event_open, &attr, getpid(), -1, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

static inline int uprobe_open(int (*fn)(int), bool at_return)
{
	int fd = uprobe_try(fn, at_return);

	NEED(fd >= 0);
	return fd;
}

static inline long uprobe_hits(int fd)
{
	unsigned long long nr = 0;

	NEED(read(fd, &nr, sizeof(nr)) == sizeof(nr));
	return (long)nr;
}

/* Why there can be none; or NULL. */
static inline const char *uprobe_refused(void)
{
	int fd;

	if (uprobe_type() < 0)
		return "this kernel offers no uprobes by perf_event_open";
	fd = uprobe_try((int (*)(int))(void *)uprobe_refused, false);
	if (fd < 0)
		return strerror(errno);
	close(fd);
	return NULL;
}

#endif
