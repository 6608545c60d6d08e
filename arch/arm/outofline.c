/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * outofline.c - images of slots, and where the PC stands in them.
 *
 * Owns: their layout.  A slot is immutable once published and holds the copy of an instruction
 * in up to three forms, all of the instruction's own set:
 *
 *   boosted, at 0:	the instruction			stepped, at the middle:
 *			(T32, of 2 bytes: nop)				the instruction
 *			ldr pc, [pc, #..]				breakpoint
 *			next, with bit 0 for T32
 *
 *   in an IT block, at 16 (T32):
 *			the instruction
 *			bkpt
 *
 * A load of the PC reaches everything, and needs no register.  But in an IT block it would
 * have the condition of the program's next instruction, and use it up: so there a breakpoint
 * follows, which has none (kp_arch_step_begin).  That way the block's state is as behind the
 * original, too.
 *
 * What is emulated has a copy, too, where it does not read the PC: an access that cannot be
 * emulated faults there for real.  What reads it has breakpoints alone: literals are as
 * readable as the code that they stand in.
 *
 * Invariant: the layout follows from the probe alone, so any PC inside can be translated back
 * without a memory of how it got there.
 */
#include "probe.h"

#define OWNER_LEN 8		/* at the end of each half, the core's at the last one's */
#define T32_NOP 0xbf00u

struct out {
	uint8_t *bytes;
	unsigned int len;
};

static void put(struct out *out, uint32_t value, unsigned int len)
{
	memcpy(out->bytes + out->len, &value, len);
	out->len += len;
}

/* As it stands in memory. */
static void put_copy(struct out *out, const struct kp_arm_insn *insn)
{
	bool halves = insn->thumb && insn->len == 4;

	put(out, halves ? insn->word << 16 | insn->word >> 16 : insn->word, insn->len);
}

static void put_bp(struct out *out, bool thumb)
{
	put(out, thumb ? KP_ARM_T32_BP : KP_ARM_A32_BP, thumb ? 2 : 4);
}

/* Behind the copy: at 4. */
static void put_back(struct out *out, const struct kp_arch_probe *ap)
{
	if (out->len == 2)
		put(out, T32_NOP, 2);
	if (ap->insn.thumb)
		put(out, 0xf000f8df, 4);	/* ldr.w pc, [pc, #0] */
	else
		put(out, 0xe51ff004, 4);	/* ldr pc, [pc, #-4] */
	put(out, (uint32_t)kp_arm_next(ap) | ap->insn.thumb, 4);
}

/* Does it find the PC elsewhere, other than to write it? */
static bool reads_pc(const struct kp_arm_insn *insn)
{
	switch (insn->class) {
	case KP_ARM_LOAD:
		return insn->pc & KP_ARM_N;
	case KP_ARM_LOAD_LIST:
		return false;
	default:
		return true;
	}
}

int kp_arch_emit_slot(const struct kp_arch_probe *ap, uintptr_t slot,
		      uint8_t *image, const char **reason)
{
	struct out boosted = { .bytes = image }, block = { .bytes = image + KP_ARM_BLOCK },
		   stepped = { .bytes = image + ap->stepped };
	struct out all = { .bytes = image };

	(void)slot;
	(void)reason;
	/* Whoever strays into the rest traps. */
	while (all.len < 2u * ap->stepped)
		put_bp(&all, ap->insn.thumb);
	if (ap->class == KP_ARCH_EMULATE && reads_pc(&ap->insn))
		return 0;
	put_copy(&boosted, &ap->insn);
	put_back(&boosted, ap);
	put_copy(&block, &ap->insn);
	put_bp(&block, ap->insn.thumb);
	put_copy(&stepped, &ap->insn);
	put_bp(&stepped, ap->insn.thumb);
	return 0;
}

void kp_arch_slot_shorten(struct kp_arch_probe *ap, bool on)
{
	ap->stepped = on ? KP_ARM_STEPPED / 2 : KP_ARM_STEPPED;
}

_Static_assert(KP_ARM_BLOCK + 8 <= KP_ARM_STEPPED / 2 - OWNER_LEN, "a short slot has room for all");

void kp_arch_slot_copies(const struct kp_arch_probe *ap, unsigned int off[2])
{
	off[0] = 0;
	off[1] = ap->stepped;
}

/* Behind a copy that a breakpoint follows. */
KP_TRAP_PATH bool kp_arch_step_finish(const struct kp_arch_probe *ap,
				      struct pt_regs *regs, uintptr_t slot)
{
	uintptr_t off = kp_arch_trap_addr(regs) - slot;

	if (ap->class != KP_ARCH_COPY ||
	    (off != KP_ARM_BLOCK + (uintptr_t)ap->len && off != (uintptr_t)ap->stepped + ap->len))
		return false;
	regs->ARM_pc = kp_arm_next(ap);
	return true;
}

/* The copies change nothing before they are done. */
KP_TRAP_PATH void kp_arch_step_abort(const struct kp_arch_probe *ap,
				     struct pt_regs *regs, uintptr_t slot,
				     const struct kp_arch_mem *mem)
{
	uintptr_t off = regs->ARM_pc - slot;

	(void)mem;
	if (off == 0 || off == KP_ARM_BLOCK || off == ap->stepped)
		regs->ARM_pc = ap->addr;
	else
		regs->ARM_pc = kp_arm_next(ap);
}
