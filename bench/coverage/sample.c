// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * sample.c - probes at random instructions of a real program, really executed.
 *
 * Owns: preloaded into a program, a counting probe at each offset that
 * COVERAGE_OFFSETS lists in the object whose name ends in COVERAGE_OBJECT
 * ("" or absent: the program); when the program ends, one line to the file
 * COVERAGE_OUT: how many were asked for, refused, optimized, were hit, and how
 * often, and how many bytes of the object's text differ once all are gone.
 * Then a line "stays REASON" for each that was not optimized, and the offsets
 * that were hit.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <linux/kprobes.h>
#include <kprobes/control.h>

#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct spot {
	struct kprobe probe;
	unsigned long hits, offset;
	const char *stays;	/* on the breakpoint, and why */
	bool registered;
};

static struct spot *spots;
static size_t spots_nr, refused, optimized;
static uintptr_t base, text_start;
static size_t text_len;
static unsigned char *before;
static pid_t owner;

static int on_hit(struct kprobe *p, struct pt_regs *regs)
{
	struct spot *spot = (struct spot *)p;

	(void)regs;
	__atomic_fetch_add(&spot->hits, 1, __ATOMIC_RELAXED);
	return 0;
}

static bool ends_in(const char *name, const char *end)
{
	size_t a = strlen(name), b = strlen(end);

	return a >= b && !strcmp(name + a - b, end);
}

static int find(struct dl_phdr_info *info, size_t size, void *arg)
{
	const char *wanted = getenv("COVERAGE_OBJECT");
	int i;

	(void)size;
	(void)arg;
	if (wanted && *wanted ? !ends_in(info->dlpi_name, wanted) :
				*info->dlpi_name)
		return 0;
	for (i = info->dlpi_phnum - 1; i >= 0; i--) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type != PT_LOAD)
			continue;
		base = info->dlpi_addr + segment->p_vaddr;
		if (segment->p_flags & PF_X) {
			text_start = base;
			text_len = segment->p_memsz;
		}
	}
	return 1;
}

static void read_offsets(void)
{
	FILE *file = fopen(getenv("COVERAGE_OFFSETS"), "r");
	size_t max = 0;
	unsigned long off;

	while (file && fscanf(file, "%lx", &off) == 1) {
		if (spots_nr == max) {
			max = max ? max * 2 : 1024;
			spots = realloc(spots, max * sizeof(*spots));
		}
		spots[spots_nr++] = (struct spot){
			.probe.addr = (kprobe_opcode_t *)(base + off),
			.probe.pre_handler = on_hit,
			.offset = off,
		};
	}
	if (file)
		fclose(file);
}

/* Addresses that the list says are optimized; probes move past landing pads. */
static uintptr_t *jumps;
static size_t jumps_nr;

static int by_address(const void *a, const void *b)
{
	uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;

	return x < y ? -1 : x > y;
}

static void see_line(void *arg, const char *line, size_t len)
{
	(void)arg;
	(void)len;
	if (strstr(line, "[OPTIMIZED]") && jumps_nr < spots_nr)
		jumps[jumps_nr++] = strtoul(line, NULL, 16);
}

static void see_optimized(void)
{
	size_t i;

	jumps = calloc(spots_nr + 1, sizeof(*jumps));
	kprobes_list(see_line, NULL);
	qsort(jumps, jumps_nr, sizeof(*jumps), by_address);
	for (i = 0; i < spots_nr; i++) {
		uintptr_t addr = (uintptr_t)spots[i].probe.addr;

		if (!spots[i].registered)
			continue;
		if (bsearch(&addr, jumps, jumps_nr, sizeof(*jumps), by_address))
			optimized++;
		else
			spots[i].stays = spots[i].probe.reason ?
						 spots[i].probe.reason :
						 "no reason";
	}
}

__attribute__((constructor)) static void start(void)
{
	size_t i;

	if (!getenv("COVERAGE_OFFSETS") || !dl_iterate_phdr(find, NULL))
		return;
	owner = getpid();
	before = malloc(text_len);
	memcpy(before, (void *)text_start, text_len);
	read_offsets();
	for (i = 0; i < spots_nr; i++) {
		spots[i].registered = !register_kprobe(&spots[i].probe);
		refused += !spots[i].registered;
	}
	kprobes_flush();
	see_optimized();
	unsetenv("COVERAGE_OFFSETS");
}

__attribute__((destructor)) static void stop(void)
{
	unsigned long hits = 0, hit = 0, differ = 0;
	FILE *out;
	size_t i;

	if (!owner || getpid() != owner)
		return;
	for (i = 0; i < spots_nr; i++) {
		if (spots[i].registered)
			unregister_kprobe(&spots[i].probe);
		hits += spots[i].hits;
		hit += spots[i].hits > 0;
	}
	kprobes_flush();
	for (i = 0; i < text_len; i++)
		differ += before[i] != ((unsigned char *)text_start)[i];
	out = fopen(getenv("COVERAGE_OUT"), "w");
	if (!out)
		return;
	fprintf(out, "%zu %zu %zu %lu %lu %lu\n", spots_nr, refused, optimized,
		hit, hits, differ);
	for (i = 0; i < spots_nr; i++)
		if (spots[i].stays)
			fprintf(out, "stays %s\n", spots[i].stays);
	for (i = 0; i < spots_nr; i++)
		if (spots[i].hits)
			fprintf(out, "%lx\n", spots[i].offset);
	fclose(out);
}
