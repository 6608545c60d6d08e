/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Real execution beside emulation: each form that reads or writes the PC is executed
 * at its place, computed by kp_a64_emulate, and executed elsewhere as kp_a64_move has
 * it.  Registers, flags, BTYPE, the PC and vectors must agree.  And indirect branches
 * onto landing pads in a guarded page, beside kp_a64_may_land.
 *
 * An arm64 program (run by qemu); sandbox.h says how.
 *
 * usage: native COUNT SEED
 */
#include <asm/hwcap.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "emulate.h"
#include "random.h"
#include "sandbox.h"

#ifndef PROT_BTI
#define PROT_BTI 0x10
#endif

static uint64_t random_state;

static int read_area(uintptr_t addr, void *dst, size_t len)
{
	memcpy(dst, (const void *)(uintptr_t)addr, len);
	return 0;
}

/* The pattern of each form; the bits of @random are free. */
static const struct form {
	const char *name;
	uint32_t word, random;
	bool pac;
} forms[] = {
	{ "b", 0x14000000, 0x0003FFFF, 0 }, { "b-back", 0x17FC0000, 0x0003FFFF, 0 },
	{ "bl", 0x94000000, 0x0003FFFF, 0 }, { "bl-back", 0x97FC0000, 0x0003FFFF, 0 },
	{ "b.cond", 0x54000000, 0x00FFFFEF, 0 },
	{ "cbz", 0x34000000, 0x81FFFFFF, 0 }, { "tbz", 0x36000000, 0x81FFFFFF, 0 },
	{ "br", 0xD61F0000, 0x000003E0, 0 }, { "blr", 0xD63F0000, 0x000003E0, 0 },
	{ "ret", 0xD65F0000, 0x000003E0, 0 },
	{ "braaz", 0xD61F081F, 0x000007E0, 1 }, { "braa", 0xD71F0800, 0x000007FF, 1 },
	{ "blraaz", 0xD63F081F, 0x000007E0, 1 }, { "blraa", 0xD73F0800, 0x000007FF, 1 },
	{ "retaa", 0xD65F0BFF, 0x00000400, 1 },
	{ "adr", 0x10000000, 0x60FFFFFF, 0 }, { "adrp", 0x90000000, 0x60FFFFFF, 0 },
	{ "ldr", 0x18000000, 0xC0FFFFFF, 0 }, { "ldr-simd", 0x1C000000, 0xC0FFFFFF, 0 },
	/* And some that are copied. */
	{ "paciasp", 0xD503233F, 0x00000040, 1 }, { "nop", 0xD503201F, 0, 0 },
	{ "add", 0x8B000000, 0x401F03FF, 0 },
};

static uint64_t sign(uint64_t target, uint64_t modifier, bool key_b)
{
	if (key_b)
		asm(".arch armv8.3-a\n\tpacib %0, %1" : "+r"(target) : "r"(modifier));
	else
		asm(".arch armv8.3-a\n\tpacia %0, %1" : "+r"(target) : "r"(modifier));
	return target;
}

/* An indirect branch goes into the area, but not to where the two words are. */
static void aim(const struct kp_a64_insn *insn, struct state *state)
{
	uint64_t target = address(next_random(&random_state) % (PLACE / 4) * 4), modifier = 0;

	if (insn->flags & KP_A64_MODIFIER)
		modifier = insn->rm == 31 ? state->regs.sp : state->regs.regs[insn->rm];
	else if (insn->class == KP_A64_RET)
		modifier = state->regs.sp;
	if (insn->flags & KP_A64_PAC)
		target = sign(target, modifier, insn->flags & KP_A64_KEY_B);
	state->regs.regs[insn->rn] = target;
}

static bool is_branch(const struct kp_a64_insn *insn)
{
	return insn->class == KP_A64_BR || insn->class == KP_A64_BLR || insn->class == KP_A64_RET;
}

/* Is this one such as a run can show: it moves on, and stays in the area? */
static bool is_usable(const struct kp_a64_insn *insn)
{
	if (insn->class == KP_A64_UNALLOCATED)
		return false;
	if (is_branch(insn))
		return insn->rn != 31 && insn->rn != insn->rm;
	return !kp_a64_is_relative(insn) || insn->offset != 0;
}

static bool check_emulated(const struct kp_a64_insn *insn, const struct state *real)
{
	bool can = (kp_a64_is_relative(insn) || is_branch(insn)) &&
		   !(insn->flags & (KP_A64_PAC | KP_A64_VECTOR));
	struct state computed = given;

	if (kp_a64_emulate(insn, address(PLACE), &computed.regs, false, read_area))
		return !can && same(&computed, &given);
	return can && same(&computed, real);
}

static bool check_moved(const struct kp_a64_insn *insn, const struct state *real)
{
	struct state before = given;
	struct kp_a64_moved moved;
	const char *reason = NULL;

	if (kp_a64_move(insn, address(PLACE), &moved, &reason))
		return reason != NULL;
	if (moved.reg != KP_A64_NO_REG)
		given.regs.regs[moved.reg] = moved.value;
	given.regs.pc = address(ELSEWHERE);
	set_word(ELSEWHERE, moved.word);
	run();
	set_word(ELSEWHERE, breakpoint(ELSEWHERE));
	if (moved.restore)
		got.regs.regs[moved.reg] = before.regs.regs[moved.reg];
	if (!is_branch(insn))
		got.regs.pc = got.regs.pc - address(ELSEWHERE) + address(PLACE);
	else	/* LR was the return address before; BTYPE is what a br leaves */
		got.regs.pstate = real->regs.pstate;
	return stopped_by == SIGTRAP && same(&got, real);
}

static bool check(const struct form *form)
{
	struct kp_a64_insn insn;
	struct state real;

	do {
		kp_a64_decode(&insn, form->word | ((uint32_t)next_random(&random_state) & form->random));
	} while (!is_usable(&insn));
	memset(&given, 0, sizeof(given));
	randomize(&given, &random_state);
	if (is_branch(&insn))
		aim(&insn, &given);
	given.regs.pc = address(PLACE);
	set_word(PLACE, insn.word);
	run();
	set_word(PLACE, breakpoint(PLACE));
	real = got;
	if (stopped_by == SIGTRAP && check_emulated(&insn, &real) && check_moved(&insn, &real))
		return true;
	printf("# %08x %s: signal %d, real pc %llx (+%llx)\n", insn.word, form->name, stopped_by,
	       (unsigned long long)real.regs.pc,
	       (unsigned long long)(real.regs.pc - address(PLACE)));
	return false;
}

static int check_forms(uint64_t count)
{
	bool pac = getauxval(AT_HWCAP) & HWCAP_PACA;
	size_t i, failed = 0;
	uint64_t j, wrong;

	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (forms[i].pac && !pac) {
			printf("# %s: this processor signs nothing\n", forms[i].name);
			continue;
		}
		for (j = wrong = 0; j < count && wrong < 5; j++)
			wrong += !check(&forms[i]);
		printf("%sok arm64-native-%s %llu runs\n", wrong ? "not " : "", forms[i].name,
		       (unsigned long long)j);
		failed += wrong != 0;
	}
	return failed != 0;
}

/* Each indirect branch onto each landing pad, both in a guarded page. */
static int check_pads(void)
{
	static const uint32_t branches[] = {
		0xD61F0000,	/* br x0 */
		0xD61F0200,	/* br x16 */
		0xD61F0220,	/* br x17 */
		0xD63F0000,	/* blr x0 */
		0xD65F0000,	/* ret x0 */
		0x14000400,	/* b, to the pad */
	};
	static const uint32_t pads[] = {
		0xD503201F,	/* nop */
		0xD503241F,	/* bti */
		0xD503245F,	/* bti c */
		0xD503249F,	/* bti j */
		0xD50324DF,	/* bti jc */
		0xD503233F,	/* paciasp */
		0xD503237F,	/* pacibsp */
		0xD42003E0,	/* brk */
	};
	size_t i, j, wrong = 0;

	if (!(getauxval(AT_HWCAP2) & HWCAP2_BTI) ||
	    mprotect(area, AREA, PROT_READ | PROT_WRITE | PROT_EXEC | PROT_BTI)) {
		printf("# landing pads: this processor guards nothing\n");
		return 0;
	}
	for (i = 0; i < sizeof(branches) / 4; i++) {
		for (j = 0; j < sizeof(pads) / 4; j++) {
			struct kp_a64_insn branch, pad;
			struct kp_a64_regs regs;
			bool lands;

			kp_a64_decode(&branch, branches[i]);
			kp_a64_decode(&pad, pads[j]);
			memset(&given, 0, sizeof(given));
			given.regs.sp = address(0);
			given.regs.regs[0] = given.regs.regs[16] = given.regs.regs[17] =
				address(PLACE + 0x1000);
			given.regs.pc = address(PLACE);
			regs = given.regs;
			set_word(PLACE, branches[i]);
			set_word(PLACE + 0x1000, pads[j]);
			run();
			kp_a64_emulate(&branch, address(PLACE), &regs, true, read_area);
			lands = kp_a64_may_land(&pad, regs.pstate >> 10 & 3);
			if (lands == (stopped_by == SIGTRAP) &&
			    (stopped_by == SIGTRAP || stopped_by == SIGILL))
				continue;
			printf("# %08x on %08x: signal %d\n", branches[i], pads[j], stopped_by);
			wrong++;
		}
	}
	printf("%sok arm64-native-pads %zu pairs\n", wrong ? "not " : "", i * sizeof(pads) / 4);
	return wrong != 0;
}

int main(int argc, char **argv)
{
	uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 0) : 100;
	int failed;

	random_state = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	if (!sandbox_start())
		return 1;
	failed = check_forms(count);
	return check_pads() | failed;
}
