/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * fallback.c - forms of branches.
 *
 * Owns: what runs if a branch could not be emulated because its memory did not answer (a page
 * still to be faulted in, a guard page, a target that is not an address), and behind a jump,
 * where nothing is emulated.  Invariants: the first access of a form is the one that the original
 * would make first, with the same stack pointer, so its fault is the original's fault.  A form
 * that does not fault has the original's full effect, including the return address.
 */
#include "emit.h"

/*
 * push <value at ap->value>, when no displacement reaches it.  below: bytes of
 * stack that the form has already skipped.
 */
KP_TRAP_PATH void kp_x86_push_far(struct kp_x86_out *out,
				  const struct kp_arch_probe *ap,
				  unsigned int below)
{
	kp_x86_mark(out, ap->addr, below, KP_X86_NO_REG);
	kp_x86_byte(out, 0x50);				/* push %rax */
	kp_x86_mark(out, ap->addr, below + 8, KP_X86_NO_REG);
	KP_X86_CODE(out, 0x48, 0xa1);			/* movabs addr,%rax */
	kp_x86_imm(out, ap->value, 8);
	kp_x86_mark(out, ap->addr, below + 8, KP_X86_AX);
	KP_X86_CODE(out, 0x48, 0x87, 0x04, 0x24);	/* xchg %rax,(%rsp) */
}

/* Push the branch target: call's operand encoding with push's opcode digit. */
KP_TRAP_PATH static void push_target(struct kp_x86_out *out,
				     const struct kp_arch_probe *ap, bool far)
{
	struct kp_arch_probe push;

	if (far) {
		kp_x86_push_far(out, ap, 0);
		return;
	}
	kp_x86_mark(out, ap->addr, 0, KP_X86_NO_REG);
	if (ap->op == KP_X86_CALL_REG) {		/* push %reg */
		if (ap->reg & 8)
			kp_x86_byte(out, 0x41);
		kp_x86_byte(out, 0x50 | (ap->reg & 7));
		return;
	}
	push = *ap;					/* push mem: ff /6 */
	push.insn[ap->modrm_off] =
		(uint8_t)((ap->insn[ap->modrm_off] & ~0x38) | 6 << 3);
	kp_x86_copy_near(out, &push);
}

/*
 * The return address is what the stack must hold in the end, the target what
 * it holds first: that makes the first access right for both.
 */
KP_TRAP_PATH static void call_indirect(struct kp_x86_out *out,
				       const struct kp_arch_probe *ap, bool far)
{
	push_target(out, ap, far);
	kp_x86_mark(out, ap->addr, KP_X86_WORD, KP_X86_NO_REG);
	KP_X86_CODE(out, 0xff, 0x34, 0x24);		/* push (%rsp) */
	kp_x86_mark(out, ap->addr, 2 * KP_X86_WORD, KP_X86_NO_REG);
	kp_x86_push(out, kp_x86_next(ap), 5);		/* push $next */
	kp_x86_mark(out, ap->addr, 3 * KP_X86_WORD, KP_X86_NO_REG);
	KP_X86_CODE(out, 0x8f, 0x44, 0x24, KP_X86_WORD);	/* pop 8(%rsp) */
	kp_x86_mark(out, ap->addr, 2 * KP_X86_WORD, KP_X86_NO_REG);
	kp_x86_byte(out, 0xc3);				/* ret */
	kp_x86_pushed(out, kp_x86_next(ap));
}

/* A jump, unlike a call, may have live data in the red zone. */
KP_TRAP_PATH static void jmp_memory(struct kp_x86_out *out,
				    const struct kp_arch_probe *ap, bool far)
{
	unsigned int skip = ap->flags & KP_X86_USER ? KP_X86_RED_ZONE : 0;

	kp_x86_mark(out, ap->addr, 0, KP_X86_NO_REG);
	if (!far) {
		kp_x86_copy_near(out, ap);
		return;
	}
	if (skip)					/* lea -128(%rsp),%rsp */
		KP_X86_CODE(out, KP_X86_LEA_DOWN);
	kp_x86_push_far(out, ap, skip);
	kp_x86_mark(out, ap->addr, skip + 8, KP_X86_NO_REG);
	kp_x86_byte(out, 0xc2);				/* ret $skip */
	kp_x86_imm(out, skip, 2);
}

/* Where a relative branch goes: in a chain perhaps to another copy. */
KP_TRAP_PATH static uint64_t destination(const struct kp_x86_out *out,
					 const struct kp_arch_probe *ap)
{
	return out->to ? out->to : ap->value;
}

KP_TRAP_PATH static void call_relative(struct kp_x86_out *out,
				       const struct kp_arch_probe *ap)
{
	uint64_t to = destination(out, ap);
	unsigned int jmp_len = kp_x86_jmp_len(out, out->len + 6, to);

	kp_x86_mark(out, ap->addr, 0, KP_X86_NO_REG);
	kp_x86_push(out, kp_x86_next(ap), jmp_len);	/* push $next */
	kp_x86_mark(out, ap->value, 0, KP_X86_NO_REG);
	kp_x86_jmp(out, to);				/* jmp target */
	kp_x86_pushed(out, kp_x86_next(ap));
}

/* jcc, loop and jcxz differ in the bytes before the displacement only. */
KP_TRAP_PATH static void short_conditional(struct kp_x86_out *out,
					   const struct kp_arch_probe *ap)
{
	uint64_t to = destination(out, ap);

	if (ap->op == KP_X86_LOOP && ap->address_size != KP_X86_WORD)
		kp_x86_byte(out, 0x67);
	kp_x86_byte(out, ap->op == KP_X86_LOOP ? 0xe0u | ap->cond :
						 0x70u | ap->cond);
	kp_x86_byte(out, 2);				/* jcc 1f */
	kp_x86_mark(out, kp_x86_next(ap), 0, KP_X86_NO_REG);
	kp_x86_byte(out, 0xeb);				/* jmp 2f */
	kp_x86_byte(out, kp_x86_jmp_len(out, out->len + 1, to));
	kp_x86_mark(out, ap->value, 0, KP_X86_NO_REG);
	kp_x86_jmp(out, to);				/* 1: jmp target */
}

KP_TRAP_PATH static void conditional(struct kp_x86_out *out,
				     const struct kp_arch_probe *ap)
{
	uint64_t to = destination(out, ap);
	uint64_t next = out->addr + out->len + 6;

	kp_x86_mark(out, ap->addr, 0, KP_X86_NO_REG);
	if (ap->op == KP_X86_JCC && kp_x86_reaches(next, to)) {
		KP_X86_CODE(out, 0x0f);			/* jcc target */
		kp_x86_byte(out, 0x80u | ap->cond);
		kp_x86_imm(out, to - next, 4);
	} else {
		short_conditional(out, ap);
	}
	kp_x86_mark(out, kp_x86_next(ap), 0, KP_X86_NO_REG);
	if (out->tail != KP_X86_TAIL_NONE)
		kp_x86_jmp(out, kp_x86_next(ap));	/* 2: jmp next */
}

KP_TRAP_PATH void kp_x86_branch_form(struct kp_x86_out *out,
				     const struct kp_arch_probe *ap, bool far)
{
	switch (ap->op) {
	case KP_X86_JMP:
		kp_x86_mark(out, ap->addr, 0, KP_X86_NO_REG);
		kp_x86_jmp(out, destination(out, ap));
		break;
	case KP_X86_JCC:
	case KP_X86_LOOP:
		conditional(out, ap);
		break;
	case KP_X86_CALL:
		call_relative(out, ap);
		break;
	case KP_X86_CALL_REG:
	case KP_X86_CALL_MEM:
		call_indirect(out, ap, far);
		break;
	case KP_X86_JMP_MEM:
		jmp_memory(out, ap, far);
		break;
	}
}
