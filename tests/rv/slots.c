/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * slots.c - instructions at their place, emulated, and in their slots: the same?
 *
 * Owns: each form that reads or writes the PC, and instructions at random, executed in all
 * ways that there are, with the slot left at each of its places, near and far from the
 * instruction: registers and floating point must agree with the real execution.
 *
 * A riscv64 program (run by qemu); sandbox.h says how.  What it cannot show: qemu has no
 * stale instruction caches and sees code as it is written.
 *
 * usage: slots COUNT SEED
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch.h"
#include "forms.h"

#define NEAR (PLACE + 0x2000)
#define FAR (PLACE + 0x180000)		/* a jal does not reach from there */

static struct kp_arch_probe probe;
static uint8_t image[KP_ARCH_SLOT_LEN];

static struct pt_regs *regs_of(struct state *state)
{
	static struct pt_regs regs;

	memcpy(&regs, &state->regs, sizeof(state->regs));
	return &regs;
}

static void take_back(struct state *state, const struct pt_regs *regs)
{
	memcpy(&state->regs, regs, sizeof(state->regs));
}

/* Run on from the registers got: the instruction itself. */
static void run_on(void)
{
	struct state begin = given;

	given = got;
	execute(place);
	given = begin;
}

/*
 * From @begin in the slot to its end; or, where @left is, only up to there, so that the rest
 * happens where the instruction is.
 */
static bool check_way(size_t slot, size_t begin, size_t left)
{
	struct pt_regs *regs;

	memcpy(area + slot, image, 2u * probe.stepped);
	if (left)
		take_insn(slot + left);
	given.regs.pc = address(slot + begin);
	__builtin___clear_cache((char *)area + slot, (char *)area + slot + sizeof(image));
	run();
	if (got.regs.pc - address(slot) < sizeof(image)) {
		regs = regs_of(&got);
		if (!kp_arch_step_finish(&probe, regs, address(slot)))
			kp_arch_step_abort(&probe, regs, address(slot), NULL);
		take_back(&got, regs);
		if (got.regs.pc == address(place))
			run_on();
	}
	return stopped_by == SIGTRAP && same(&got, &real);
}

/* Left at once: only where a form begins is a breakpoint without the copy. */
static bool check_left(size_t slot, size_t begin)
{
	struct pt_regs *regs;

	got = given;
	got.regs.pc = address(slot + begin);
	regs = regs_of(&got);
	kp_arch_step_abort(&probe, regs, address(slot), NULL);
	take_back(&got, regs);
	if (got.regs.pc != address(place))
		return false;
	run_on();
	return stopped_by == SIGTRAP && same(&got, &real);
}

/* Does the boosted form end without a trap, exactly if a jump reaches? */
static bool ends_as_it_may(size_t slot)
{
	struct kp_rv_insn end;
	uint32_t word;

	memcpy(&word, image + probe.len, sizeof(word));
	kp_rv_decode(&end, word);
	return slot == FAR ? end.word == 0x9002 :
	       end.class == KP_RV_JAL && end.rd == KP_RV_ZERO &&
	       kp_rv_operand(&end, address(slot) + probe.len) == address(place) + probe.len;
}

static bool check_slot(size_t slot, bool is_short)
{
	const char *reason = NULL;

	kp_arch_slot_shorten(&probe, is_short);
	if (kp_arch_emit_slot(&probe, address(slot), image, &reason))
		return false;
	/* Behind the copy in the boosted form, where the jump is. */
	return ends_as_it_may(slot) && check_way(slot, 0, 0) && check_way(slot, 0, probe.len) &&
	       check_way(slot, probe.stepped, 0) && check_left(slot, 0) &&
	       check_left(slot, probe.stepped);
}

static bool check_emulated(void)
{
	struct pt_regs *regs = regs_of(&given);

	if (kp_arch_emulate(&probe, regs, NULL))
		return false;
	got = given;
	take_back(&got, regs);
	return same(&got, &real);
}

static bool check(void)
{
	const char *reason = NULL;

	if (kp_arch_prepare(&probe, address(place), (const uint8_t *)&insn.word, insn.len,
			    KP_ARCH_USER, &reason)) {
		printf("# refused: %s\n", reason);
		return false;
	}
	if (probe.len != insn.len || (probe.class == KP_ARCH_EMULATE) != goes())
		return false;
	if (goes())
		return check_emulated();
	return check_slot(NEAR, false) && check_slot(NEAR, true) && check_slot(FAR, false) &&
	       check_slot(FAR, true);
}

int main(int argc, char **argv)
{
	uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 0) : 100;

	random_state = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	return !sandbox_start() || check_forms("slots", count, check);
}
