/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * slots.c - instructions at their place, emulated, and in their slots: the same?
 *
 * Owns: each form that reads or writes the PC, and instructions at random, executed in
 * all ways that there are, with the slot left at each of its words: all registers,
 * flags and vectors must agree with the real execution.
 *
 * An arm64 program (run by qemu); sandbox.h says how.  What it cannot show: qemu has no
 * stale instruction caches and sees code as it is written.
 *
 * usage: slots COUNT SEED
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "forms.h"

static uint8_t image[KP_ARCH_SLOT_LEN];

static void put_image(void)
{
	size_t i;

	for (i = 0; i < sizeof(image); i += 4) {
		uint32_t word;

		memcpy(&word, image + i, 4);
		set_word(SLOT + i, word);
	}
}

static bool in_slot(uint64_t pc)
{
	return pc - address(SLOT) < sizeof(image);
}

/*
 * From @begin in the slot to its end.  left_at: a word of the slot before which it is
 * left, so that the rest happens where the instruction is; 0: none.
 */
static bool check_way(const char *name, uint64_t begin, size_t left_at)
{
	struct state before = given;
	char what[64];

	snprintf(what, sizeof(what), "%s left at +%zu", name, left_at);
	put_stack();
	put_image();
	set_word(PLACE, probe.insn.word);
	if (left_at)
		set_word(SLOT + left_at, breakpoint(SLOT));
	given.regs.pc = begin;
	/* A frame as the entry leaves it, whose words the ldp takes. */
	if (begin == address(SLOT) + probe.stepped) {
		uint64_t *frame = (uint64_t *)(given.regs.sp - KP_A64_FRAME);

		frame[0] = given.regs.regs[29];
		frame[1] = given.regs.regs[30];
		given.regs.sp = (uintptr_t)frame;
		given.regs.regs[30] = 1;
	}
	run();
	given = before;
	/* In the post entry, which returns. */
	if (got.regs.pc == address(POST)) {
		uint64_t *frame = (uint64_t *)got.regs.sp;

		if (frame[0] != got.regs.regs[29])
			return false;
		got.regs.pc = got.regs.regs[30];
		got.regs.regs[29] = got.regs.regs[30] = 2;
		run_on();
	}
	if (in_slot(got.regs.pc)) {
		if (!kp_arch_step_finish(&probe, regs_of(&got), address(SLOT)))
			kp_arch_step_abort(&probe, regs_of(&got), address(SLOT), &mem);
		if (got.regs.pc == address(PLACE) && left_at)
			run_on();
		else if (got.regs.pc == address(PLACE + 4))
			stopped_by = SIGTRAP;
	}
	set_word(PLACE, breakpoint(PLACE));
	return agrees(what);
}

/* Does an ldr of the same half load what is there? */
static bool is_constant(size_t at)
{
	size_t half = at < probe.stepped ? 0 : probe.stepped, i;
	uint32_t word;

	for (i = half; i < at; i += 4) {
		memcpy(&word, image + i, 4);
		if (word >> 24 == 0x58 && at - i - (word >> 5 & 0x7ffff) * 4 < 8)
			return true;
	}
	return false;
}

static bool check_slot(const char *name, uint64_t post, bool is_short)
{
	const char *reason = NULL;
	uint64_t step;
	size_t at;

	kp_arch_slot_shorten(&probe, is_short);
	if (kp_arch_emit_slot_post(&probe, address(SLOT), post, image, &reason))
		return is_short && probe.form == KP_A64_LOAD_SAVED && reason;
	step = address(SLOT) + probe.stepped;
	for (at = 0; at < probe.stepped; at += 4)
		if (!is_constant(at) && !check_way(name, address(SLOT), at))
			return false;
	/* With a stack pointer of its own a program's stack is not here. */
	if (post && (real.regs.sp != given.regs.sp || real_signal != SIGTRAP))
		return true;
	for (at = 0; at < probe.stepped; at += 4)
		if (!is_constant(probe.stepped + at) &&
		    (!check_way(name, step, at ? probe.stepped + at : 0) ||
		     !check_way(name, step + KP_A64_STEP_OFF, at ? probe.stepped + at : 0)))
			return false;
	return true;
}

static bool check_emulated(void)
{
	got = given;
	if (probe.class != KP_ARCH_EMULATE)
		return true;
	stopped_by = SIGTRAP;
	if (kp_arch_emulate(&probe, regs_of(&got), &mem))
		/* A signed address that is not genuine; a vector is not emulated. */
		return probe.insn.flags & KP_A64_PAC && same(&got, &given);
	if (probe.insn.flags & KP_A64_PAC && real_signal != SIGTRAP)
		return false;
	return agrees("emulated");
}

static bool check(void)
{
	if (!check_emulated())
		return false;
	/* Left to the processor when the address is not genuine, whose fault says so. */
	if (probe.insn.flags & KP_A64_PAC && real_signal != SIGTRAP)
		return true;
	if (probe.form == KP_A64_NO_BODY)
		return true;
	return check_slot("short", 0, true) && check_slot("long", 0, false) &&
	       check_slot("short, calling", address(POST), true) &&
	       check_slot("long, calling", address(POST), false);
}

int main(int argc, char **argv)
{
	uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 0) : 100;

	random_state = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	return !sandbox_start() || check_forms("slots", count, check);
}
