/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * writes.c - where instructions write, as the port says, and really.
 *
 * Owns: loads and stores at random, executed on memory of zeros and on memory of ones:
 * what has changed must be where it was said, and all of it must have changed once.
 *
 * An arm64 program (run by qemu); sandbox.h says how.
 *
 * usage: writes COUNT SEED
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe.h"
#include "random.h"
#include "sandbox.h"
#include "watch.h"

#define FIELD 0x20000		/* in the area, where all registers point to */
#define FIELD_LEN 0x20000
#define BASE (FIELD + 0x4000)	/* offsets are small below it */

static uint64_t random_state;
static unsigned long at_nr;

static const struct form {
	const char *name;
	uint32_t word, random;
} forms[] = {
	{ "plain", 0x39000000, 0xc4ffffff },
	{ "indexed", 0x38200800, 0xc4dff3ff },
	{ "moving", 0x38000000, 0xc4dfffff },
	{ "pair", 0x28000000, 0xc5ffffff },
	{ "ordered", 0x089ffc00, 0xc04003ff },
	{ "cas", 0x08a07c00, 0xc05f83ff },
	{ "casp", 0x08207c00, 0x405f83ff },
	{ "atomic", 0x38200000, 0xc0dff3ff },
	{ "structures", 0x0c000000, 0x41fffffe },
	{ "unscaled", 0x19000000, 0xc0dff3ff },
	{ "any", 0x08000000, 0xf5ffffff },
};

static void point_into_field(uint32_t word)
{
	size_t i;

	randomize(&given, &random_state);
	for (i = 0; i < 31; i++)
		given.regs.regs[i] = address(BASE) +
				     next_random(&random_state) % 256 * 64;
	given.regs.sp = address(BASE);
	i = word >> 16 & 31;
	/* Anything in the upper half of an index that is made longer. */
	if ((word & 0x3b200c00) == 0x38200800 && i != 31)
		given.regs.regs[i] = (next_random(&random_state) % 512 - 256) ^
				     (word & 1u << 13 ? 0 : next_random(&random_state) << 32);
}

/* What changed of memory that was all of fill; false: not where it should. */
static bool run_on(uint8_t fill, bool at, uintptr_t from, size_t len, uint8_t *changed)
{
	uint8_t *field = (uint8_t *)address(FIELD);
	uint8_t same_bytes[64];
	size_t i;

	memset(same_bytes, fill, sizeof(same_bytes));
	memset(field, fill, FIELD_LEN);
	given.regs.pc = address(PLACE);
	run();
	if (stopped_by != SIGTRAP)
		return true;
	for (i = 0; i < FIELD_LEN; i++) {
		uintptr_t addr = (uintptr_t)field + i;

		/* Most of it is as it was. */
		if (!(i % 64) && !memcmp(field + i, same_bytes, 64))
			i += 63;
		if (field[i] == fill)
			continue;
		if (!at || addr - from >= len)
			return false;
		changed[addr - from] = 1;
	}
	return true;
}

static bool check(const struct form *form)
{
	uint32_t word = form->word | ((uint32_t)next_random(&random_state) & form->random);
	struct kp_arch_write write;
	enum kp_arch_writes kind;
	struct kp_a64_insn insn;
	struct pt_regs *regs = (struct pt_regs *)&given.regs;
	uint8_t changed[64] = { 0 };
	uintptr_t from = 0;
	size_t len = 0, i;
	bool first;

	kp_a64_decode(&insn, word);
	if (insn.class == KP_A64_UNALLOCATED || insn.class == KP_A64_LITERAL)
		return true;
	kind = kp_arch_write_of(&write, address(PLACE), (const uint8_t *)&word, sizeof(word),
				0);
	point_into_field(word);
	if (kind == KP_ARCH_WRITES_AT)
		len = kp_arch_write_at(&write, regs, &from);
	at_nr += kind == KP_ARCH_WRITES_AT;
	/* A push writes to the stack, and that is said of none. */
	if (kind == KP_ARCH_WRITES_SOMEWHERE ||
	    (kind == KP_ARCH_WRITES_NOT && (word >> 5 & 31) == 31))
		return true;
	if (len > sizeof(changed))
		return false;
	set_word(PLACE, word);
	first = run_on(0, kind == KP_ARCH_WRITES_AT, from, len, changed);
	if (stopped_by == SIGTRAP && first)
		first = run_on(0xff, kind == KP_ARCH_WRITES_AT, from, len, changed);
	set_word(PLACE, breakpoint(PLACE));
	if (!first)
		return false;
	/* A compare and swap that fails writes nothing; others may store what was there. */
	if (stopped_by != SIGTRAP || (word & 0x3f000000) == 0x08000000 ||
	    (word & 0x3b200c00) == 0x38200000)
		return true;
	for (i = 0; i < len; i++)
		if (!changed[i])
			return false;
	return true;
}

int main(int argc, char **argv)
{
	uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 0) : 100, j, wrong;
	size_t i, failed = 0;

	random_state = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	if (!sandbox_start())
		return 1;
	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		at_nr = 0;
		for (j = wrong = 0; j < count && wrong < 3; j++) {
			uint64_t begin = random_state;

			if (check(&forms[i]))
				continue;
			random_state = begin;
			printf("# %08x %s\n", forms[i].word | ((uint32_t)next_random(&random_state) & forms[i].random), forms[i].name);
			wrong++;
		}
		/* Each form has some that write. */
		wrong += !at_nr;
		printf("%sok arm64-writes-%s %llu runs\n", wrong ? "not " : "", forms[i].name,
		       (unsigned long long)j);
		failed += wrong != 0;
	}
	return failed != 0;
}
