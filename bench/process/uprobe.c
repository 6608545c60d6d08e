// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * uprobe.c - what the kernel's uprobes cost on the same functions.
 *
 * Owns: rows "uprobe.*" by perf events that count: no program is attached, so
 * this is the kernel's own minimum; and how long it takes to make one and
 * to close it again.
 */
#include "bench.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int read_number(const char *path)
{
	FILE *file = fopen(path, "r");
	int n = -1;

	if (file) {
		if (fscanf(file, "%d", &n) != 1)
			n = -1;
		fclose(file);
	}
	return n;
}

/* The offset in the file of an address in this program's text. */
static uint64_t file_offset(uintptr_t addr)
{
	unsigned long start, end, offset;
	uint64_t found = 0;
	char line[512];
	FILE *maps = fopen("/proc/self/maps", "r");

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 &&
		    addr >= start && addr < end)
			found = addr - start + offset;
	if (maps)
		fclose(maps);
	return found;
}

static int open_uprobe(bench_fn target, int type, bool on_return)
{
	struct perf_event_attr attr = {
		.type = (uint32_t)type, .size = sizeof(attr),
		.config = on_return, .uprobe_path = (uintptr_t)"/proc/self/exe",
		.probe_offset = file_offset((uintptr_t)target),
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

static void run(const char *name, bench_fn target, int type, bool on_return)
{
	struct bench_sample bare = bench_call(target), with;
	uint64_t count = 0;
	int fd = open_uprobe(target, type, on_return);

	if (fd < 0) {
		bench_skip(name, strerror(errno));
		return;
	}
	with = bench_call(target);
	if (read(fd, &count, sizeof(count)) != sizeof(count) || !count)
		bench_skip(name, "counted nothing");
	else
		bench_row(name, with, bare);
	close(fd);
}

/* From none to one that is on, and closed again. */
static void one_by_one(int type)
{
	double least = 1e18, start;
	int run, fd;

	for (run = 0; run < 20; run++) {
		start = bench_now();
		fd = open_uprobe(bench_push, type, false);
		close(fd);
		start = bench_now() - start;
		least = start < least ? start : least;
	}
	bench_fact("register and unregister one probe, kernel uprobe", least,
		   "ns");
}

int main(void)
{
	int type = read_number("/sys/bus/event_source/devices/uprobe/type");

	if (type < 0) {
		bench_skip("uprobe", "this kernel has no uprobe events");
		return 0;
	}
	run("uprobe.push", bench_push, type, false);
	run("uprobe.copy", bench_short, type, false);
	run("uprobe.return", bench_push, type, true);
	one_by_one(type);
	return 0;
}
