/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Real execution beside slots: each form that is copied is executed at its place, and in its
 * slot, boosted and stepped, long and short, in IT blocks, too.  Registers, flags, IT block and
 * memory must agree, and the PC after the slot's own trap.  Where it stands in the slot, and
 * faults or is interrupted, must look as if it were at its place.
 *
 * An arm program (run by qemu); sandbox.h says how.
 *
 * usage: slots COUNT SEED
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "forms.h"
#include "probe.h"

static struct kp_arch_probe ap;
static struct kp_arm_regs start;

/* The slot, which is one line, is somewhere else each time. */
static size_t slot_at;

static void emit(bool is_short)
{
	uint8_t image[KP_ARCH_SLOT_LEN];
	const char *reason;

	slot_at = slot_at == ELSEWHERE ? ELSEWHERE + 2 * KP_ARCH_SLOT_LEN : ELSEWHERE;
	kp_arch_slot_shorten(&ap, is_short);
	kp_arch_emit_slot(&ap, address(slot_at), image, &reason);
	memcpy(area + slot_at, image, 2u * ap.stepped);
	__builtin___clear_cache((char *)area + slot_at, (char *)area + slot_at + sizeof(image));
}

/* As struct pt_regs has them. */
static struct pt_regs *frame(struct kp_arm_regs *regs)
{
	return (struct pt_regs *)regs;
}

static bool from_slot(bool post)
{
	struct pt_regs regs;
	bool trapped;

	given = start;
	memcpy(&regs, &given, sizeof(given));
	kp_arch_step_begin(&ap, &regs, address(slot_at), post);
	memcpy(&given, &regs, sizeof(given));
	undo_stores();
	run();
	trapped = got.pc - address(slot_at) < KP_ARCH_SLOT_LEN;
	/* Boosted, it comes to the trap behind its place. */
	if (trapped != (post || (insn.thumb && start.cpsr & KP_ARM_CPSR_IT))) {
		printf("# it ended at slot %+d\n", (int)(got.pc - address(slot_at)));
		return false;
	}
	memcpy(&regs, &got, sizeof(got));
	if (trapped && !kp_arch_step_finish(&ap, &regs, address(slot_at))) {
		printf("# slot %+d is no end\n", (int)(got.pc - address(slot_at)));
		return false;
	}
	memcpy(&got, &regs, sizeof(got));
	return same(&got, &real) && same_stores();
}

/* At each place of it, and behind each. */
static bool aborts(void)
{
	const unsigned int starts[] = { 0, KP_ARM_BLOCK, ap.stepped };
	struct kp_arm_regs regs = start;
	size_t i;

	for (i = 0; i < 3; i++) {
		regs.pc = address(slot_at) + starts[i];
		kp_arch_step_abort(&ap, frame(&regs), address(slot_at), NULL);
		if (regs.pc != ap.addr)
			return false;
		regs.pc = address(slot_at) + starts[i] + ap.len;
		kp_arch_step_abort(&ap, frame(&regs), address(slot_at), NULL);
		if (regs.pc != ap.addr + ap.len)
			return false;
	}
	return true;
}

static bool check_slot(bool is_short)
{
	bool right;

	emit(is_short);
	right = from_slot(false) && from_slot(true) && aborts();
	take(slot_at, KP_ARCH_SLOT_LEN);
	return right;
}

static bool check(void)
{
	uint32_t word = insn.thumb && insn.len == 4 ? insn.word << 16 | insn.word >> 16 : insn.word;
	unsigned int flags = KP_ARCH_USER | (insn.thumb ? KP_ARCH_SECOND_SET : 0);
	const char *reason;

	start = given;
	if (kp_arch_prepare(&ap, address(place), (const uint8_t *)&word, insn.len, flags, &reason)) {
		printf("# refused: %s\n", reason);
		return false;
	}
	if (kp_arm_is_emulated(&insn))
		return ap.class == KP_ARCH_EMULATE;
	return check_slot(false) && check_slot(true);
}

int main(int argc, char **argv)
{
	uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 0) : 100;

	setvbuf(stdout, NULL, _IOLBF, 0);
	random_state = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	return !sandbox_start() || check_forms("slots", count, check);
}
