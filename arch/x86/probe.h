/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * probe.h - how the files of arch/x86 read a struct kp_arch_probe.
 *
 * Owns: the operations, the flags, and what classify.c promises to emulate.c,
 * outofline.c and fallback.c about each of them.
 */
#ifndef KP_X86_PROBE_H
#define KP_X86_PROBE_H

#include "arch.h"

enum kp_x86_op {
	KP_X86_COPY,		/* class COPY */
	KP_X86_SYSCALL,		/* class COPY; rcx is repaired after it */
	/* class EMULATE */
	KP_X86_JMP,		/* value: target */
	KP_X86_JCC,		/* value: target; cond */
	KP_X86_LOOP,		/* value: target; cond 0 loopne 1 loope 2 loop 3 jcxz */
	KP_X86_CALL,		/* value: target */
	KP_X86_JMP_REG,		/* reg */
	KP_X86_CALL_REG,
	KP_X86_JMP_MEM,		/* memory operand */
	KP_X86_CALL_MEM,
	KP_X86_RET,		/* value: bytes released after the return address */
	KP_X86_PUSHF,		/* size */
	KP_X86_POPF,		/* size */
	KP_X86_CLI,
	KP_X86_STI,
};

/* kp_arch_probe.flags */
#define KP_X86_USER	1	/* a red zone lies below the stack pointer */
#define KP_X86_FIXUP	2	/* may have an exception-table entry */
#define KP_X86_RIP_REL	4	/* operand relative to rip: value */
#define KP_X86_NEAR_ONLY 8	/* the far form of a RIP_REL copy would be wrong */
#define KP_X86_PUSH_MEM	16	/* push of a memory operand */
#define KP_X86_TRAP_ONLY 32	/* nothing below the stack pointer is written */
#define KP_X86_GS	64	/* the branch's memory operand is in gs */

/* base and index that are no register */
#define KP_X86_NO_REG	0xff

enum {
	KP_X86_AX, KP_X86_CX, KP_X86_DX, KP_X86_BX,
	KP_X86_SP, KP_X86_BP, KP_X86_SI, KP_X86_DI,
};

#define KP_X86_FLAG_CF		(1UL << 0)
#define KP_X86_FLAG_FIXED	(1UL << 1)	/* reads as one */
#define KP_X86_FLAG_PF		(1UL << 2)
#define KP_X86_FLAG_ZF		(1UL << 6)
#define KP_X86_FLAG_SF		(1UL << 7)
#define KP_X86_FLAG_TF		(1UL << 8)
#define KP_X86_FLAG_IF		(1UL << 9)
#define KP_X86_FLAG_DF		(1UL << 10)
#define KP_X86_FLAG_OF		(1UL << 11)
#define KP_X86_FLAG_NT		(1UL << 14)
#define KP_X86_FLAG_RF		(1UL << 16)
#define KP_X86_FLAG_VM		(1UL << 17)
#define KP_X86_FLAG_AC		(1UL << 18)

static inline uintptr_t kp_x86_next(const struct kp_arch_probe *ap)
{
	return ap->addr + ap->len;
}

#endif
