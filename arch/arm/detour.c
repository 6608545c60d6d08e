/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * detour.c - jumps in the place of instructions, and where they lead.
 *
 * Owns: the ways to put a jump, and the code of heads and hubs.
 *
 * A jump is a b of the set that stands there, without a condition: the copied instruction has
 * its own.  A32's reaches 32 MB, T32's (of 4 bytes) 16 MB.  No jump stands in an IT block, in
 * which it would have to be the last one, and be skipped where a breakpoint is not.
 *
 * A32: one aligned store, from the breakpoint and to it.  The processor executes the old or the
 * new word without further ado where both are of a few kinds, b among them; the breakpoint of
 * A32 is an undefined instruction, which is none of these, as the original instruction is
 * none: so the core's synchronization after each step is what that rests on, as in every
 * debugger.
 *
 * T32: its halves may be fetched one by one, so they never change both at once.  The core writes
 * the breakpoint into the first, has all cores see it, writes the second, has all see that, and
 * then the first.  The manual's list of what may be written while others execute it has the
 * halves of a b, and bkpt, but not udf, which the breakpoint is: that rests on the same.  A
 * kernel's module writes when no core executes (KP_WRITES_ALONE).
 *
 * On an instruction of 4 bytes a jump may lead anywhere in reach.  On one of 2 it covers the
 * beginning of the next, where others may jump to, or rest: there its second half is itself a
 * bkpt, whose number is a part of where the jump leads to, and whoever gets there goes on in the
 * body.  With d the distance from the jump + 4:
 *
 *   31 .. 27  26   25 .. 16  | 15 14  13  12  11  10 .. 0
 *   11110     S    d[21:12]  | 1  0   J1  1   J2  d[11:1]
 *   bkpt #n                    1  0   1   1   1   110 nnnnnnnn
 *
 * J1 and J2 are 1 where d is a number of 23 bits with a sign: 4 MB either way, and there 512 bytes
 * of every 4 KB.  n is fixed by the way, a head's length from one to the next.
 *
 * A head (detour_entry.S has the entry), at a boundary of 4, of the probe's set:
 *
 *    0  sub sp, sp, #88
 *    4  str lr, [sp, #56]
 *    8  add lr, pc, #..		the data; T32: and bit 0
 *   12  ldr pc, [pc, #..]
 *   16  .word entry, tag, body
 */
#include "frame_asm.h"
#include "probe.h"
#include "jump.h"
#include "own_stack.h"

#define DATA_OFF	16
#define SAVED_OFF	4	/* from here on sp has moved, */
#define TOLD_OFF	12	/* and from here on lr is another */

/* Of each 4 KB that a jump over 2 bytes leads to. */
#define INNER_VALUE	0xc00u
#define INNER_WAYS	(256u / (KP_ARCH_HEAD_LEN / 2))

/* Why there is no way at all; NULL: there may be. */
static const char *why_never(const struct kp_arch_probe *ap, size_t extent)
{
	if (extent < ap->len)
		return "the instruction is not known to be code";
	if (ap->flags & KP_ARCH_TRAP_ONLY)
		return "there may be no room on the stack for what a jump calls (Go's stacks are small)";
	if (ap->block)
		return "it may be in an IT block, where a jump would be skipped";
	if (!kp_arm_has_work(ap))
		return "nothing that does without the place of the instruction what it does is known";
	if (extent < KP_ARCH_JUMP_MIN)
		return "a jump would not end with the function";
	return NULL;
}

/* On an instruction of T32 of 2 bytes. */
static void inner_way(struct kp_arch_jump *out, const struct kp_arch_probe *ap, unsigned int n)
{
	/* Heads are at boundaries of 4, as seen from the base. */
	uint32_t number = n * (KP_ARCH_HEAD_LEN / 2) | (out->base >> 1 & 1);

	out->reach_down = KP_ARCH_INNER_REACH;
	out->reach_up = KP_ARCH_INNER_REACH - 2;
	out->mask = 0xfff;
	out->value = INNER_VALUE | number << 1;
	out->inner_nr = 1;
	out->inner[0] = ap->len;
	out->inner_trap[0] = (uint8_t)number;
}

int kp_arch_jump_way(struct kp_arch_jump *out, const struct kp_arch_probe *ap,
		     const uint8_t *text, size_t avail, size_t extent,
		     unsigned int n, const char **reason)
{
	const char *never = why_never(ap, extent);
	bool thumb = ap->insn.thumb;

	(void)text;
	(void)avail;
	*reason = never ? never : "no address for a detour is near enough";
	*out = (struct kp_arch_jump){
		.base = ap->addr + (thumb ? 4 : 8),
		.reach_down = thumb ? 1u << 24 : 1u << 25,
		.reach_up = thumb ? (1u << 24) - 2 : (1u << 25) - 4,
		.mask = 3, .len = KP_ARCH_JUMP_MIN, .patched = KP_ARCH_JUMP_MIN,
	};
	out->value = -(uint32_t)out->base & 3;
	if (never || n >= (ap->len == KP_ARCH_JUMP_MIN ? 1 : INNER_WAYS))
		return -ENOENT;
	if (ap->len != KP_ARCH_JUMP_MIN)
		inner_way(out, ap, n);
	return 0;
}

/* What looks like padding may be a literal. */
size_t kp_arch_padding(const uint8_t *bytes, size_t avail)
{
	(void)bytes;
	(void)avail;
	return 0;
}

/* How far it reaches says of which set it is. */
KP_TRAP_PATH void kp_arch_emit_jump(const struct kp_arch_jump *jump, uintptr_t target,
		       uint8_t *bytes)
{
	uint32_t d = (uint32_t)(target - jump->base), word, s = d >> 24 & 1;

	if (jump->reach_down > 1u << 24) {
		word = 0xea000000u | (d >> 2 & 0xffffff);
	} else {
		word = 0xf0009000u | s << 26 | (d >> 12 & 0x3ff) << 16 | (d >> 1 & 0x7ff) |
		       ((d >> 23 & 1) == s) << 13 | ((d >> 22 & 1) == s) << 11;
		word = word << 16 | word >> 16;
	}
	memcpy(bytes, &word, sizeof(word));
}

/* ldr pc, [pc, #-4]: none is needed, as heads reach all. */
void kp_arch_emit_hub(uintptr_t hub, uintptr_t to, uint8_t *image)
{
	const uint32_t words[] = { 0xe51ff004u, (uint32_t)to };

	(void)hub;
	memset(image, KP_ARCH_FILL, KP_ARCH_HUB_LEN);
	memcpy(image, words, sizeof(words));
}

int kp_arch_emit_head(const struct kp_arch_probe *ap, uintptr_t head,
		      uintptr_t entry, uintptr_t body, const void *tag,
		      uint8_t *image)
{
	const uint32_t data[] = {
		(uint32_t)entry, (uint32_t)(uintptr_t)tag,
		(uint32_t)kp_arch_pointer_to(ap, body),
	};

	(void)head;
	memset(image, KP_ARCH_FILL, KP_ARCH_HEAD_LEN);
	kp_arm_put_call(ap->insn.thumb, image);
	memcpy(image + DATA_OFF, data, sizeof(data));
	return 0;
}

/* What leaves a call's beginning, off bytes in, as if it were not begun. */
KP_TRAP_PATH void kp_arm_leave_call(struct pt_regs *regs, uintptr_t off,
				    const struct kp_arch_mem *mem)
{
	uint32_t lr;

	if (off >= TOLD_OFF && !mem->read(regs->ARM_sp + FRAME_LR, &lr, sizeof(lr)))
		regs->ARM_lr = lr;
	if (off >= SAVED_OFF)
		regs->ARM_sp += DETOUR_LEN;
}

/* Nothing has happened: the entry does not come back here. */
KP_TRAP_PATH void kp_arch_head_abort(const struct kp_arch_probe *ap,
				     struct pt_regs *regs, uintptr_t head,
				     uintptr_t body)
{
	(void)body;
	kp_arm_leave_call(regs, regs->ARM_pc - head, &kp_own_stack);
	regs->ARM_pc = ap->addr;
}
