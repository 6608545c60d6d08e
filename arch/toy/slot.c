/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * slot.c - slot images, and where the pc stands in them.
 *
 * Owns: the forms in which instructions are executed elsewhere, and the slot's layout:
 * the boosted form at 0, the stepped one at the middle.
 *
 *   what         form                       behind it: boosted   stepped
 *   is copied    itself                     J next               !, or C post; J next; !
 *   jumps        J target
 *   branches     b +6; J next; J target
 *   returns      itself
 *   calls        (; !                       a fault of its store is all that it is for
 *
 * Invariant: the layout follows from the probe and the slot's address alone.  The rest
 * traps.
 */
#include "probe.h"
#include "jump.h"

#define OWNER_LEN 8		/* the slot's last bytes, the core's */
#define BRANCH_FORM_LEN (TOY_BRANCH_LEN + 2 * TOY_JUMP_LEN)

KP_TRAP_PATH unsigned int kp_toy_form_len(const struct kp_arch_probe *ap)
{
	switch (ap->insn[0]) {
	case TOY_SKIP:
	case TOY_JUMP:
	case TOY_GO:
		return TOY_JUMP_LEN;
	case TOY_BRANCH:
		return BRANCH_FORM_LEN;
	case TOY_CALL:
		return 2;
	}
	return ap->len;
}

KP_TRAP_PATH bool kp_toy_form_ends(const struct kp_arch_probe *ap)
{
	return ap->class == KP_ARCH_COPY;
}

bool kp_toy_put_form(const struct kp_arch_probe *ap, uint8_t *image,
		     uintptr_t at, uintptr_t next, uintptr_t target)
{
	switch (ap->insn[0]) {
	case TOY_SKIP:
	case TOY_JUMP:
	case TOY_GO:
		kp_toy_put_jump(image, TOY_JUMP, at, target);
		return kp_toy_reaches(at, target);
	case TOY_BRANCH:
		image[0] = TOY_BRANCH;
		image[1] = TOY_BRANCH_LEN + TOY_JUMP_LEN;
		at += TOY_BRANCH_LEN;
		kp_toy_put_jump(image + TOY_BRANCH_LEN, TOY_JUMP, at, next);
		kp_toy_put_jump(image + TOY_BRANCH_LEN + TOY_JUMP_LEN, TOY_JUMP,
				at + TOY_JUMP_LEN, target);
		return kp_toy_reaches(at, next) &&
		       kp_toy_reaches(at + TOY_JUMP_LEN, target);
	case TOY_CALL:
		image[0] = TOY_PUSH;
		image[1] = TOY_BREAK;
		return true;
	}
	memcpy(image, ap->insn, ap->len);
	return true;
}

KP_TRAP_PATH void kp_toy_leave_form(const struct kp_arch_probe *ap,
				    struct pt_regs *regs, unsigned int off)
{
	regs->pc = ap->addr;
	if (!off)
		return;
	if (ap->insn[0] == TOY_CALL)
		regs->sp += sizeof(uintptr_t);
	else if (ap->insn[0] != TOY_BRANCH)
		regs->pc = kp_toy_next(ap);
	else
		regs->pc = off < TOY_BRANCH_LEN + TOY_JUMP_LEN ?
			kp_toy_next(ap) : ap->target;
}

/* What is behind a form that does not go elsewhere by itself. */
static unsigned int put_tail(const struct kp_arch_probe *ap, uint8_t *image,
			     uintptr_t at, bool stepped, uintptr_t post,
			     bool *reached)
{
	unsigned int len = 0;

	if (!kp_toy_form_ends(ap))
		return 0;
	if (stepped && !post) {
		image[0] = TOY_BREAK;
		return 1;
	}
	if (stepped) {
		kp_toy_put_jump(image, TOY_CALL, at, post);
		len = TOY_JUMP_LEN;
	}
	kp_toy_put_jump(image + len, TOY_JUMP, at + len, kp_toy_next(ap));
	*reached &= kp_toy_reaches(at + len, kp_toy_next(ap));
	return len + TOY_JUMP_LEN;
}

static unsigned int put_half(const struct kp_arch_probe *ap, uint8_t *image,
			     uintptr_t at, bool stepped, uintptr_t post,
			     bool *reached)
{
	unsigned int len = kp_toy_form_len(ap);

	*reached &= kp_toy_put_form(ap, image, at, kp_toy_next(ap), ap->target);
	return len + put_tail(ap, image + len, at + len, stepped, post, reached);
}

int kp_arch_emit_slot_post(const struct kp_arch_probe *ap, uintptr_t slot,
			   uintptr_t post, uint8_t *image, const char **reason)
{
	uint8_t halves[2][KP_ARCH_SLOT_LEN];
	unsigned int len[2], at = ap->stepped;
	bool reached = true;

	if (ap->flags & KP_ARCH_TRAP_ONLY ||
	    !kp_toy_reaches(slot + at + ap->len, post))
		post = 0;
	len[0] = put_half(ap, halves[0], slot, false, post, &reached);
	len[1] = put_half(ap, halves[1], slot + at, true, post, &reached);
	if (!reached) {
		*reason = "a jump from where there is executable memory does not reach";
		return -ENOSPC;
	}
	if (len[0] > at || len[1] > at - OWNER_LEN) {
		*reason = "the copied instruction does not fit its slot";
		return -ENOSPC;
	}
	memset(image, KP_ARCH_FILL, 2u * at);
	memcpy(image, halves[0], len[0]);
	memcpy(image + at, halves[1], len[1]);
	return 0;
}

int kp_arch_emit_slot(const struct kp_arch_probe *ap, uintptr_t slot,
		      uint8_t *image, const char **reason)
{
	return kp_arch_emit_slot_post(ap, slot, 0, image, reason);
}

void kp_arch_slot_shorten(struct kp_arch_probe *ap, bool on)
{
	ap->stepped = KP_ARCH_SLOT_LEN / (on ? 4 : 2);
}

void kp_arch_slot_copies(const struct kp_arch_probe *ap, unsigned int off[2])
{
	off[0] = 0;
	off[1] = ap->stepped;
}

/* Behind the breakpoint, or where the call returns to: they never meet. */
KP_TRAP_PATH bool kp_arch_step_finish(const struct kp_arch_probe *ap,
				      struct pt_regs *regs, uintptr_t slot)
{
	uintptr_t end = slot + ap->stepped + ap->len;

	if (!kp_toy_form_ends(ap) ||
	    (regs->pc != end + 1 && regs->pc != end + TOY_JUMP_LEN))
		return false;
	regs->pc = kp_toy_next(ap);
	return true;
}

KP_TRAP_PATH void kp_arch_step_abort(const struct kp_arch_probe *ap,
				     struct pt_regs *regs, uintptr_t slot,
				     const struct kp_arch_mem *mem)
{
	unsigned int off = (unsigned int)(regs->pc - slot);

	(void)mem;
	kp_toy_leave_form(ap, regs, off < ap->stepped ? off : off - ap->stepped);
}
