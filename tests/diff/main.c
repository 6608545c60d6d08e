/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * main.c - differential execution: the same instruction natively, emulated, in
 * slots near and far, boosted and stepped, in chains, and behind jumps.
 *
 * Owns: what is tried, how often, and the report.  Usage: diff [SCALE [SEED]];
 * SCALE 1 takes some 25 seconds of processor time.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diff.h"

struct form {
	const char *family, *text;
	const uint8_t *bytes;
	size_t len;
};
extern const struct form diff_forms[], diff_forms_end[];

struct counts counts;
static unsigned long scale = 1, seed = 1;
static bool failed;

static void report(const char *name)
{
	if (counts.failures)
		failed = true;
	printf("%s diff.%s %lu instructions %lu trials %lu runs %lu faults "
	       "%lu steps %lu jumps; refused %lu, far refused %lu, not decoded %lu, "
	       "skipped %lu, invalid %lu, failed %lu\n",
	       counts.failures ? "not ok" : "ok", name, counts.forms,
	       counts.trials, counts.runs, counts.faults, counts.steps,
	       counts.jumps,
	       counts.refused, counts.far_refused, counts.undecodable,
	       counts.skipped, counts.invalid, counts.failures);
	fflush(stdout);
	memset(&counts, 0, sizeof(counts));
}

static void try_form(const char *name, const uint8_t *bytes, size_t len,
		     unsigned long times)
{
	static struct trial t;
	uint64_t parent = seed_fork(counts.forms++);
	unsigned long i;

	for (i = 0; i < times; i++)
		if (seed_trial(&t, name, bytes, len) &&
		    !variants_agree(&t, i % 8 == 0))
			break;
	seed_join(parent);
}

static void try_families(void)
{
	const struct form *f;

	for (f = diff_forms; f < diff_forms_end; f++) {
		try_form(f->text, f->bytes, f->len, 16 * scale);
		if (f + 1 == diff_forms_end ||
		    strcmp(f->family, f[1].family))
			report(f->family);
	}
}

/* Instructions whose effect is another one each time, or outlives the run. */
bool diff_unrepeatable(const struct kp_insn *insn)
{
	if (insn->flags & KP_INSN_PRIVILEGED)
		return true;
	if (insn->flow == KP_INSN_FLOW_SYSCALL ||
	    insn->flow == KP_INSN_FLOW_HLT || insn->segment == 0x64)
		return true;
	if (!kp_insn_is_legacy(insn))
		return false;
	if (insn->map == KP_INSN_MAP_1BYTE)
		return insn->opcode == 0x9d || insn->opcode == 0x8e;
	if (insn->map != KP_INSN_MAP_0F)
		return false;
	switch (insn->opcode) {
	case 0x31: case 0x33: case 0xa2:	/* rdtsc rdpmc cpuid */
	case 0xa1: case 0xa9:			/* pop fs, gs */
	case 0xb2: case 0xb4: case 0xb5:	/* lss lfs lgs */
	case 0x01: case 0xae: case 0xc7:	/* rdtscp xsave rdrand rdpid */
		return true;
	}
	return false;
}

static bool try_bytes(const uint8_t *bytes, size_t avail, const char *what,
		      unsigned long times)
{
	struct kp_insn insn;

	if (kp_insn_decode(&insn, bytes, avail, KP_INSN_64))
		return false;
	if (diff_unrepeatable(&insn))
		return false;
	try_form(what, bytes, insn.length, times);
	return true;
}

struct text {
	const uint8_t *start;
	size_t len;
};

static int find_libc(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct text *text = arg;
	int i;

	(void)size;
	if (!strstr(info->dlpi_name, "libc.so"))
		return 0;
	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD &&
		    info->dlpi_phdr[i].p_flags & PF_X) {
			text->start = (const uint8_t *)info->dlpi_addr +
				      info->dlpi_phdr[i].p_vaddr;
			text->len = info->dlpi_phdr[i].p_memsz;
		}
	return 1;
}

/* Walk libc's text and try what stands by the wayside, room bytes of it. */
static void walk_libc(const char *name, unsigned long wanted, size_t room,
		      void (*try)(const uint8_t *at, size_t room))
{
	struct text text = { NULL, 0 };
	struct kp_insn insn;
	unsigned long rate;
	size_t off = 0;

	dl_iterate_phdr(find_libc, &text);
	if (!text.len)
		return;
	rate = text.len / 4 / wanted + 1;
	for (; off + room < text.len; off += insn.length) {
		const uint8_t *at = text.start + off;

		if (kp_insn_decode(&insn, at, 16, KP_INSN_64))
			insn.length = 1;
		else if (seed_one_in(rate))
			try(at, room);
	}
	report(name);
}

static void try_one(const uint8_t *at, size_t room)
{
	try_bytes(at, room, "libc", 3);
}

/* Random bytes, with prefixes and escapes made likelier. */
static void try_random(unsigned long wanted)
{
	static const uint8_t starts[] = {
		0x66, 0xf2, 0xf3, 0x67, 0x2e, 0x3e, 0x65, 0xf0, 0x40, 0x41,
		0x44, 0x48, 0x4c, 0x4f, 0x0f, 0x0f, 0x0f, 0xc4, 0xc5, 0x62,
	};
	uint8_t bytes[16];
	unsigned long i;
	unsigned int k;

	for (i = 0; i < wanted;) {
		for (k = 0; k < sizeof(bytes); k++)
			bytes[k] = (uint8_t)(seed_next() >> 40);
		for (k = 0; k < 4 && seed_one_in(2); k++)
			bytes[k] = starts[seed_next() % sizeof(starts)];
		i += try_bytes(bytes, sizeof(bytes), "random", 3);
	}
	report("random");
}

int main(int argc, char **argv)
{
	if (argc > 1)
		scale = strtoul(argv[1], NULL, 0);
	if (argc > 2)
		seed = strtoul(argv[2], NULL, 0);
	seed_set(seed);
	sandbox_init();
	try_families();
	walk_libc("libc", 20000 * scale, 16, try_one);
	/* As a jump there would displace it. */
	walk_libc("sequences", 6000 * scale, 32, sequences_try);
	try_random(20000 * scale);
	return failed;
}
