/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * outofline.c - slot images, and where the PC stands in them.
 *
 * Owns: the slot's layout.  A slot is immutable once published and holds two
 * forms: the boosted one at 0 and the stepped one at its middle.
 *
 *   boosted:  what does the instruction's work     stepped:  ldp x29, x30, [sp], #320
 *             b next                                         the same
 *                                                            tail
 *
 * The work is what probe.h says of each form.  Behind it all are its 8 bytes of
 * constant, if it has one.  An entry that leads a hit from its frame to the step comes
 * by way of the ldp, a trap does not.  The tail is a brk, or a call of the post entry:
 *
 *             stp x29, x30, [sp, #-320]!
 *             bl post
 *             ldp x29, x30, [sp], #320
 *             b next
 *
 * What is emulated has b next in both.  Invariant: the layout follows from the probe
 * and the slot's address alone, so any PC inside can be translated back without a
 * memory of how it got there.  The tails agree in that their first word is where the
 * instruction is done.
 *
 * Nothing here is below the stack pointer but what it has been moved over.  Where the
 * program keeps it off its boundary of 16, to touch memory by it is a fault, in a form
 * that does so as well: programs that do not, do not do that.
 */
#include "outofline.h"

#define WORDS_MAX 16
#define OWNER_LEN 8		/* at the end of each half, the core's at the last one's */

struct out {
	uintptr_t addr;			/* of words[0] */
	uint32_t words[WORDS_MAX];
	unsigned int nr;
	unsigned int constant_at;	/* the ldr that wants it, plus 1 */
	uint64_t constant;
	bool unreachable;		/* by a b */
};

static void put(struct out *out, uint32_t word)
{
	out->words[out->nr++] = word;
}

static void put_b(struct out *out, uintptr_t to)
{
	uintptr_t from = out->addr + out->nr * KP_A64_LEN;

	out->unreachable |= !kp_a64_reaches(from, to);
	put(out, kp_a64_b(from, to));
}

/* ldr reg, =value */
static void put_constant(struct out *out, unsigned int reg, uint64_t value)
{
	out->constant = value;
	put(out, reg);
	out->constant_at = out->nr;
}

#define PUSH_SCRATCH(reg) (0xf81f0fe0u | (reg))		/* str reg, [sp, #-16]! */
#define POP_SCRATCH(reg) (0xf84107e0u | (reg))		/* ldr reg, [sp], #16 */

/* Of the work, up to where the instruction is done, or goes elsewhere. */
KP_TRAP_PATH static unsigned int work_nr(const struct kp_arch_probe *ap)
{
	switch (ap->form) {
	case KP_A64_LOAD:
	case KP_A64_CALL:
	case KP_A64_CALL_REG:
		return 2;
	case KP_A64_BRANCH:
		return 3;
	case KP_A64_LOAD_SAVED:
		return 4;
	default:
		return 1;
	}
}

static void put_work(struct out *out, const struct kp_arch_probe *ap)
{
	switch (ap->form) {
	case KP_A64_NOTHING:
		put(out, KP_A64_NOP);
		break;
	case KP_A64_ADDRESS:
		put_constant(out, ap->reg, ap->value);
		break;
	case KP_A64_LOAD:
		put_constant(out, ap->reg, ap->value);
		put(out, ap->word);
		break;
	case KP_A64_JUMP:
		put_b(out, ap->value);
		break;
	case KP_A64_CALL:
		put_constant(out, KP_A64_LR, kp_a64_next(ap));
		put_b(out, ap->value);
		break;
	case KP_A64_BRANCH:
		put(out, ap->word);
		put_b(out, kp_a64_next(ap));
		put_b(out, ap->value);
		break;
	case KP_A64_CALL_REG:
		put_constant(out, KP_A64_LR, kp_a64_next(ap));
		put(out, ap->word);
		break;
	case KP_A64_LOAD_SAVED:
		put(out, PUSH_SCRATCH(ap->reg));
		put_constant(out, ap->reg, ap->value);
		put(out, ap->word);
		put(out, POP_SCRATCH(ap->reg));
		break;
	default:
		put(out, ap->word);
	}
}

/* Does the work end behind its last word? */
static bool falls_through(const struct kp_arch_probe *ap)
{
	switch (ap->form) {
	case KP_A64_JUMP:
	case KP_A64_CALL:
	case KP_A64_BRANCH:
	case KP_A64_AWAY:
	case KP_A64_CALL_REG:
	case KP_A64_NO_BODY:
		return false;
	}
	return true;
}

static void put_call(struct out *out, uintptr_t post)
{
	put(out, KP_A64_PUSH_FRAME);
	put(out, kp_a64_bl(out->addr + out->nr * KP_A64_LEN, post));
	put(out, KP_A64_POP_FRAME);
}

/* The constant, to which the ldr that was left open leads now. */
static void end(struct out *out)
{
	unsigned int at = out->constant_at - 1;

	if (!out->constant_at)
		return;
	out->words[at] = kp_a64_ldr(out->words[at], (out->nr - at) * KP_A64_LEN);
	put(out, (uint32_t)out->constant);
	put(out, (uint32_t)(out->constant >> 32));
}

static void boosted(struct out *out, const struct kp_arch_probe *ap)
{
	put_work(out, ap);
	if (falls_through(ap))
		put_b(out, kp_a64_next(ap));
	end(out);
}

/* Where the call does not reach, or would need a stack that may not be there: a brk. */
static bool may_call(const struct kp_arch_probe *ap, uintptr_t step, uintptr_t post)
{
	uintptr_t from = step + (1 + work_nr(ap) + 1) * KP_A64_LEN;

	return post && !(ap->flags & KP_ARCH_TRAP_ONLY) && kp_a64_reaches(from, post);
}

static void stepped(struct out *out, const struct kp_arch_probe *ap,
		    uintptr_t post)
{
	bool calls = may_call(ap, out->addr, post);

	put(out, KP_A64_POP_FRAME);
	put_work(out, ap);
	if (ap->class == KP_ARCH_COPY && !calls) {
		put(out, KP_A64_BP);
	} else if (falls_through(ap)) {
		if (ap->class == KP_ARCH_COPY)
			put_call(out, post);
		put_b(out, kp_a64_next(ap));
	}
	end(out);
}

static int store(const struct out *out, uint8_t *image, unsigned int max,
		 const char **reason)
{
	if (out->unreachable) {
		*reason = "a branch from where there is executable memory does not reach";
		return -ENOSPC;
	}
	if (out->nr * KP_A64_LEN > max) {
		*reason = "the copied instruction does not fit its slot";
		return -ENOSPC;
	}
	memcpy(image, out->words, out->nr * KP_A64_LEN);
	return 0;
}

int kp_arch_emit_slot_post(const struct kp_arch_probe *ap, uintptr_t slot,
			   uintptr_t post, uint8_t *image, const char **reason)
{
	unsigned int i, max = ap->stepped - OWNER_LEN;
	struct out first = { .addr = slot };
	struct out second = { .addr = slot + ap->stepped };
	int err;

	/* Whoever strays into the rest traps. */
	for (i = 0; i < 2u * ap->stepped; i += KP_A64_LEN)
		memcpy(image + i, kp_arch_bp, KP_A64_LEN);
	boosted(&first, ap);
	stepped(&second, ap, post);
	err = store(&first, image, max, reason);
	return err ? err : store(&second, image + ap->stepped, max, reason);
}

int kp_arch_emit_slot(const struct kp_arch_probe *ap, uintptr_t slot,
		      uint8_t *image, const char **reason)
{
	return kp_arch_emit_slot_post(ap, slot, 0, image, reason);
}

void kp_arch_slot_shorten(struct kp_arch_probe *ap, bool on)
{
	ap->stepped = on ? KP_A64_STEPPED / 2 : KP_A64_STEPPED;
}

/* What has a fixup is a copy of one word. */
void kp_arch_slot_copies(const struct kp_arch_probe *ap, unsigned int off[2])
{
	off[0] = 0;
	off[1] = ap->stepped + KP_A64_STEP_OFF;
}

KP_TRAP_PATH bool kp_arch_step_finish(const struct kp_arch_probe *ap,
				      struct pt_regs *regs, uintptr_t slot)
{
	uintptr_t end = slot + ap->stepped + KP_A64_STEP_OFF + work_nr(ap) * KP_A64_LEN;

	if (ap->class != KP_ARCH_COPY || kp_arch_trap_addr(regs) != end)
		return false;
	regs->pc = kp_a64_next(ap);
	return true;
}

KP_TRAP_PATH void kp_a64_drop_frame(struct pt_regs *regs,
				    const struct kp_arch_mem *mem)
{
	uint64_t saved[2];

	if (!mem->read(regs->sp, saved, sizeof(saved))) {
		regs->regs[29] = saved[0];
		regs->regs[KP_A64_LR] = saved[1];
	}
	regs->sp += KP_A64_FRAME;
}

/* The scratch register is on the stack, and changed or not. */
KP_TRAP_PATH static void pop_scratch(const struct kp_arch_probe *ap,
				     struct pt_regs *regs,
				     const struct kp_arch_mem *mem)
{
	uint64_t saved;

	if (!mem->read(regs->sp, &saved, sizeof(saved)))
		regs->regs[ap->reg] = saved;
	regs->sp += 16;
}

/* Before the nth word of the work, which is not its first one and not behind it. */
KP_TRAP_PATH static void leave_work(const struct kp_arch_probe *ap,
				    struct pt_regs *regs, unsigned int n,
				    const struct kp_arch_mem *mem)
{
	regs->pc = ap->addr;
	switch (ap->form) {
	case KP_A64_CALL:
		regs->pc = ap->value;
		break;
	case KP_A64_BRANCH:
		regs->pc = n == 1 ? kp_a64_next(ap) : ap->value;
		break;
	case KP_A64_LOAD_SAVED:
		pop_scratch(ap, regs, mem);
		if (n == 3)
			regs->pc = kp_a64_next(ap);
		break;
	}
}

/*
 * A jump's head leads here when its rest was not executed, and so does the way back
 * from the post entry: a frame is there at the ldp, and after the stp.
 */
KP_TRAP_PATH void kp_arch_step_abort(const struct kp_arch_probe *ap,
				     struct pt_regs *regs, uintptr_t slot,
				     const struct kp_arch_mem *mem)
{
	unsigned int nr = work_nr(ap), word = (unsigned int)(regs->pc - slot);
	bool is_stepped = word >= ap->stepped;

	word = (word - (is_stepped ? ap->stepped : 0)) / KP_A64_LEN;
	if (is_stepped && !word--) {
		kp_a64_drop_frame(regs, mem);
		word = 0;
	}
	if (!word) {
		regs->pc = ap->addr;
		return;
	}
	if (word < nr) {
		leave_work(ap, regs, word, mem);
		return;
	}
	if (is_stepped && ap->class == KP_ARCH_COPY) {
		if (word == nr + 1)		/* before the bl */
			regs->sp += KP_A64_FRAME;
		else if (word == nr + 2)	/* behind it */
			kp_a64_drop_frame(regs, mem);
	}
	regs->pc = kp_a64_next(ap);
}
