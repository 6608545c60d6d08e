/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * outofline.c - slot images, and where the PC stands in them.
 *
 * Owns: the slot's layout.  A slot is immutable once published and holds two forms: the
 * boosted one at 0 and the stepped one at its middle.
 *
 *   boosted:  the instruction          stepped:  the instruction
 *             jal x0, next                       c.ebreak
 *
 * No register is free for a jump to anywhere, and jal reaches 1 MB: where the slot is
 * farther away, the boosted form ends as the stepped one does, with a second trap.  What is
 * emulated is never executed here: its forms are breakpoints.
 *
 * Invariant: the layout follows from the probe and the slot's address alone, so any PC
 * inside can be translated back without a memory of how it got there.
 */
#include "probe.h"

#define JAL_LEN 4

static bool reaches(uintptr_t from, uintptr_t to)
{
	return to - from + (1u << 20) < 1u << 21;
}

int kp_arch_emit_slot(const struct kp_arch_probe *ap, uintptr_t slot,
		      uint8_t *image, const char **reason)
{
	uintptr_t end = slot + ap->len;
	uint32_t back = kp_rv_jump(end, kp_rv_next(ap));
	unsigned int i;

	(void)reason;		/* the shorter slot has room for all */
	/* Whoever strays into the rest traps. */
	for (i = 0; i < 2u * ap->stepped; i += KP_ARCH_BP_LEN)
		memcpy(image + i, kp_arch_bp, KP_ARCH_BP_LEN);
	if (ap->class != KP_ARCH_COPY)
		return 0;
	memcpy(image, &ap->insn.word, ap->len);
	memcpy(image + ap->stepped, &ap->insn.word, ap->len);
	if (reaches(end, kp_rv_next(ap)))
		memcpy(image + ap->len, &back, JAL_LEN);
	return 0;
}

void kp_arch_slot_shorten(struct kp_arch_probe *ap, bool on)
{
	ap->stepped = on ? KP_ARCH_SLOT_LEN / 4 : KP_ARCH_SLOT_LEN / 2;
}

void kp_arch_slot_copies(const struct kp_arch_probe *ap, unsigned int off[2])
{
	off[0] = 0;
	off[1] = ap->stepped;
}

/* Behind a copy; in the boosted form there is a breakpoint if its jump does not reach. */
KP_TRAP_PATH bool kp_arch_step_finish(const struct kp_arch_probe *ap,
				      struct pt_regs *regs, uintptr_t slot)
{
	uintptr_t off = kp_arch_trap_addr(regs) - slot;

	if (ap->class != KP_ARCH_COPY || (off != ap->len && off != ap->stepped + ap->len))
		return false;
	regs->epc = kp_rv_next(ap);
	return true;
}

/* At the beginning of a form nothing is done; behind the copy all is. */
KP_TRAP_PATH void kp_arch_step_abort(const struct kp_arch_probe *ap,
				     struct pt_regs *regs, uintptr_t slot,
				     const struct kp_arch_mem *mem)
{
	uintptr_t off = regs->epc - slot;

	(void)mem;
	regs->epc = off && off != ap->stepped ? kp_rv_next(ap) : ap->addr;
}
