/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * outofline.c - slot images, and where the IP stands in them.
 *
 * Owns: the slot's layout.  A slot is immutable once published and holds two
 * forms: the boosted one at 0 and the stepped one at its middle.
 *
 *   near:  INSN                      far:  [lea -128(%rsp),%rsp]   user mode
 *          tail                            push %scratch
 *                                          movabs $operand,%scratch
 *                                          INSN with (%scratch)
 *                                          pop %scratch
 *                                          [lea 128(%rsp),%rsp]
 *                                          tail
 *
 * The tail is a jump to the next original instruction (boosted) or (stepped)
 * an int3, or a call of the post entry with the red zone skipped, whose return
 * address says where it came from; behind it the same jump, if that reaches.  The far form serves an operand relative to rip that the slot
 * cannot reach; no instruction of it but INSN touches a flag, and it needs up
 * to 136 bytes of stack that the original does not.  Invariant: the layout
 * follows from the probe and the slot's address alone, so any IP inside can be
 * translated back without a memory of how it got there.  The tails of stepped
 * forms agree in that their first byte is where the instruction is done.
 */
#include "emit.h"
#include "jump.h"

#define PUSH_LEN	1
#define MOVABS_LEN	10
#define DISP_LEN	4

/* A 32-bit address wraps, and so reaches everything. */
KP_TRAP_PATH bool kp_x86_is_far(const struct kp_arch_probe *ap, uintptr_t at)
{
	if (!(ap->flags & KP_X86_RIP_REL) || ap->address_size == 4)
		return false;
	return !kp_x86_reaches(at + ap->len, ap->value);
}

/* Would a copy in one of the forms miss its operand? */
KP_TRAP_PATH static bool is_far(const struct kp_arch_probe *ap, uintptr_t slot)
{
	return kp_x86_is_far(ap, slot) ||
	       kp_x86_is_far(ap, slot + ap->stepped);
}

/* Does the slot hold the instruction itself rather than a substitute? */
KP_TRAP_PATH static bool is_copy(const struct kp_arch_probe *ap)
{
	switch (ap->op) {
	case KP_X86_COPY:
	case KP_X86_SYSCALL:
	case KP_X86_RET:
	case KP_X86_JMP_REG:
	case KP_X86_PUSHF:
	case KP_X86_POPF:
	case KP_X86_CLI:
	case KP_X86_STI:
		return true;
	}
	return false;
}

/* Offset of the tail in a form that holds a copy. */
KP_TRAP_PATH static unsigned int tail_off(const struct kp_arch_probe *ap,
					  uintptr_t slot)
{
	unsigned int len = ap->len;

	if (ap->op == KP_X86_SYSCALL)
		return len + MOVABS_LEN;
	if (!is_far(ap, slot))
		return len;
	if (ap->flags & KP_X86_PUSH_MEM)
		return PUSH_LEN + MOVABS_LEN + 4;
	len += PUSH_LEN + MOVABS_LEN + PUSH_LEN - DISP_LEN;
	if (ap->flags & KP_X86_USER)
		len += KP_X86_LEA_DOWN_LEN + KP_X86_LEA_UP_LEN;
	return len;
}

KP_TRAP_PATH static void movabs(struct kp_x86_out *out, unsigned int reg,
				uint64_t value)
{
	KP_X86_CODE(out, 0x48);				/* movabs $value,%reg */
	kp_x86_byte(out, 0xb8 | reg);
	kp_x86_imm(out, value, 8);
}

/* INSN with (%scratch) for disp(%rip). */
KP_TRAP_PATH static void copy_through_scratch(struct kp_x86_out *out,
					      const struct kp_arch_probe *ap)
{
	unsigned int i;

	for (i = 0; i < ap->modrm_off; i++) {
		uint8_t byte = ap->insn[i];

		if (i == ap->b_off)
			byte = (uint8_t)((byte & ~ap->b_clear) | ap->b_set);
		kp_x86_byte(out, byte);
	}
	kp_x86_byte(out, (ap->insn[i] & 0x38u) | ap->scratch);
	i += 1 + DISP_LEN;
	kp_x86_bytes(out, ap->insn + i, ap->len - i);
}

KP_TRAP_PATH static void copy_far(struct kp_x86_out *out,
				  const struct kp_arch_probe *ap)
{
	unsigned int skip = ap->flags & KP_X86_USER ? KP_X86_RED_ZONE : 0;
	uintptr_t next = kp_x86_next(ap);

	kp_x86_mark(out, ap->addr, 0, KP_X86_NO_REG);
	if (skip)					/* lea -128(%rsp),%rsp */
		KP_X86_CODE(out, KP_X86_LEA_DOWN);
	kp_x86_mark(out, ap->addr, skip, KP_X86_NO_REG);
	kp_x86_byte(out, 0x50u | ap->scratch);		/* push %scratch */
	kp_x86_mark(out, ap->addr, skip + 8, KP_X86_NO_REG);
	movabs(out, ap->scratch, ap->value);
	kp_x86_mark(out, ap->addr, skip + 8, ap->scratch);
	copy_through_scratch(out, ap);
	kp_x86_mark(out, next, skip + 8, ap->scratch);
	kp_x86_byte(out, 0x58u | ap->scratch);		/* pop %scratch */
	kp_x86_mark(out, next, skip, KP_X86_NO_REG);
	if (skip)					/* lea 128(%rsp),%rsp */
		KP_X86_CODE(out, KP_X86_LEA_UP);
}

KP_TRAP_PATH static unsigned int red_zone(const struct kp_arch_probe *ap)
{
	return ap->flags & KP_X86_USER ? KP_X86_RED_ZONE : 0;
}

KP_TRAP_PATH static void call_post(struct kp_x86_out *out,
				   const struct kp_arch_probe *ap)
{
	unsigned int skip = red_zone(ap);
	uintptr_t next = kp_x86_next(ap);

	if (skip)					/* lea -128(%rsp),%rsp */
		KP_X86_CODE(out, KP_X86_LEA_DOWN);
	kp_x86_mark(out, next, skip, KP_X86_NO_REG);
	kp_x86_byte(out, 0xe8);				/* call post */
	kp_x86_imm(out, out->post - (out->addr + out->len + 4), 4);
	/* It may return, which the processor predicts: it has given all back. */
	kp_x86_mark(out, next, 0, KP_X86_NO_REG);
	if (kp_x86_jmp_len(out, out->len, next) == KP_X86_JMP_LEN)
		kp_x86_jmp(out, next);			/* jmp next */
}

KP_TRAP_PATH static void tail(struct kp_x86_out *out,
			      const struct kp_arch_probe *ap)
{
	switch (out->tail) {
	case KP_X86_TAIL_JMP:
		kp_x86_jmp(out, kp_x86_next(ap));	/* jmp next */
		break;
	case KP_X86_TAIL_TRAP:
		kp_x86_byte(out, kp_arch_bp[0]);	/* int3 */
		break;
	case KP_X86_TAIL_POST:
		call_post(out, ap);
		break;
	case KP_X86_TAIL_NONE:
		break;
	}
}

KP_TRAP_PATH static void copy(struct kp_x86_out *out,
			      const struct kp_arch_probe *ap, bool far)
{
	uintptr_t next = kp_x86_next(ap);

	if (far && ap->flags & KP_X86_PUSH_MEM) {
		kp_x86_push_far(out, ap, 0);
	} else if (far) {
		copy_far(out, ap);
	} else {
		kp_x86_mark(out, ap->addr, 0, KP_X86_NO_REG);
		kp_x86_copy_near(out, ap);
	}
	kp_x86_mark(out, next, 0, KP_X86_NO_REG);
	if (ap->op == KP_X86_SYSCALL) {	/* it left the slot's address there */
		if (out->len <= out->ip_off)
			out->at.ip_in_cx = true;
		movabs(out, KP_X86_CX, next);
	}
	kp_x86_mark(out, next, 0, KP_X86_NO_REG);
	tail(out, ap);
}

KP_TRAP_PATH void kp_x86_form(struct kp_x86_out *out,
			      const struct kp_arch_probe *ap, bool far)
{
	if (is_copy(ap))
		copy(out, ap, far);
	else
		kp_x86_branch_form(out, ap, far);
}

int kp_x86_far_form_exists(const struct kp_arch_probe *ap, const char **reason)
{
	if (ap->flags & KP_X86_NEAR_ONLY) {
		*reason = "the operand is out of the copy's reach and the "
			  "instruction uses the stack pointer";
		return -ENOSPC;
	}
	if (ap->flags & KP_X86_FIXUP) {
		*reason = "the operand is out of the copy's reach and an "
			  "exception fixup would see a shifted stack";
		return -ENOSPC;
	}
	if (ap->flags & KP_X86_TRAP_ONLY) {
		*reason = "the operand is out of the copy's reach and there may "
			  "be no room on the stack";
		return -ENOSPC;
	}
	return 0;
}

/*
 * How does the stepped form end?  Where the call does not reach, or would need
 * a stack that may not be there: in a trap.
 */
static enum kp_x86_tail stepped_tail(const struct kp_arch_probe *ap,
				     uintptr_t slot, uintptr_t post)
{
	uintptr_t at = slot + ap->stepped + tail_off(ap, slot);

	if (red_zone(ap))
		at += KP_X86_LEA_DOWN_LEN;
	return post && !(ap->flags & KP_X86_TRAP_ONLY) &&
	       kp_x86_reaches(at + KP_X86_CALL_LEN, post) ?
		       KP_X86_TAIL_POST : KP_X86_TAIL_TRAP;
}

int kp_arch_emit_slot_post(const struct kp_arch_probe *ap, uintptr_t slot,
			   uintptr_t post, uint8_t *image, const char **reason)
{
	unsigned int max = ap->stepped - KP_X86_OWNER_LEN;
	bool far = is_far(ap, slot);
	struct kp_x86_out boosted = { .image = image, .addr = slot,
				      .max = max };
	struct kp_x86_out stepped = {
		.image = image + ap->stepped, .addr = slot + ap->stepped,
		.max = max, .post = post,
		.tail = stepped_tail(ap, slot, post),
	};

	if (far && kp_x86_far_form_exists(ap, reason))
		return -ENOSPC;
	/* Whoever strays into the rest traps. */
	memset(image, kp_arch_bp[0], 2u * ap->stepped);
	kp_x86_form(&boosted, ap, far);
	kp_x86_form(&stepped, ap, far);
	if (boosted.len > max || stepped.len > max) {
		*reason = "the copied instruction does not fit its slot";
		return -ENOSPC;
	}
	return 0;
}

void kp_arch_slot_shorten(struct kp_arch_probe *ap, bool on)
{
	ap->stepped = on ? KP_X86_STEPPED / 2 : KP_X86_STEPPED;
}

int kp_arch_emit_slot(const struct kp_arch_probe *ap, uintptr_t slot,
		      uint8_t *image, const char **reason)
{
	return kp_arch_emit_slot_post(ap, slot, 0, image, reason);
}

/* Where a far form exists there is no fixup, and the offsets have no user. */
void kp_arch_slot_copies(const struct kp_arch_probe *ap, unsigned int off[2])
{
	off[0] = 0;
	off[1] = ap->stepped;
}

/* Behind the int3, or at the return address of the call: they never meet. */
KP_TRAP_PATH bool kp_arch_step_finish(const struct kp_arch_probe *ap,
				      struct pt_regs *regs, uintptr_t slot)
{
	uintptr_t end = slot + ap->stepped + tail_off(ap, slot);
	uintptr_t called = end + KP_X86_CALL_LEN;

	if (red_zone(ap))
		called += KP_X86_LEA_DOWN_LEN;
	if (!is_copy(ap) ||
	    (kp_arch_trap_addr(regs) != end && regs->ip != called))
		return false;
	regs->ip = kp_x86_next(ap);
	return true;
}

KP_TRAP_PATH void kp_x86_leave(const struct kp_x86_mark *mark,
			       struct pt_regs *regs,
			       const struct kp_arch_mem *mem)
{
	unsigned long saved;

	if (mark->saved != KP_X86_NO_REG &&
	    !mem->read(regs->sp, &saved, sizeof(saved)))
		*kp_x86_reg(regs, mark->saved) = saved;
	regs->sp += mark->sp;
	regs->ip = mark->ip;
	if (mark->ip_in_cx)
		regs->cx = mark->ip;
}

/* Whether the slot's tail is the call or the int3 makes no difference. */
KP_TRAP_PATH void kp_arch_step_abort(const struct kp_arch_probe *ap,
				     struct pt_regs *regs, uintptr_t slot,
				     const struct kp_arch_mem *mem)
{
	uint8_t image[KP_X86_FORM_MAX];
	unsigned int off = (unsigned int)(regs->ip - slot);
	bool stepped = off >= ap->stepped;
	struct kp_x86_out out = {
		.image = image, .max = sizeof(image),
		.addr = stepped ? slot + ap->stepped : slot,
		.tail = stepped ? KP_X86_TAIL_POST : KP_X86_TAIL_JMP,
		.ip_off = stepped ? off - ap->stepped : off,
	};

	kp_x86_form(&out, ap, is_far(ap, slot));
	kp_x86_leave(&out.at, regs, mem);
}
