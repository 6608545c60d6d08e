/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * arch_probe.h - data and constants of x86-64.
 *
 * Owns: what a guarded call or a jprobe's keeps on its caller's stack, and numbers.
 * each_hit.h has what 32-bit code has, too.
 */
#ifndef KP_X86_ARCH_PROBE_H
#define KP_X86_ARCH_PROBE_H

#include "regs.h"
#include "each_hit.h"
#include "return_asm.h"

#define KP_ARCH_RETURNS		1
#define KP_ARCH_JPROBES		1

#define KP_ARCH_HUB_LEN		24	/* jmp *1f(%rip); 1: .quad, aligned */
#define KP_ARCH_LEAN_HITS	1
#define KP_ARCH_LEAN_RETURNS	1
#define KP_ARCH_LANDING_TRAP 6	/* #UD: what trapping bytes other than int3 do */

/* Where the entry goes on behind a lean handler: what follows regs. */
KP_ARCH_EACH_HIT uintptr_t kp_arch_lean_next(const struct pt_regs *regs)
{
	return *(const uintptr_t *)(regs + 1);
}

/* The same, of what a lean handler gets. */
KP_ARCH_EACH_HIT uintptr_t *kp_arch_lean_word(const struct pt_regs *regs)
{
	return (uintptr_t *)regs->sp;
}

/* Callee-saved state of kp_arch_guard_call; entry.S knows the offsets. */
struct kp_arch_guard {
	unsigned long sp, ip, bx, bp, r12, r13, r14, r15;
	unsigned long aborted;
};

KP_ARCH_EACH_HIT bool
kp_arch_guard_aborted(const struct kp_arch_guard *guard)
{
	return guard->aborted;
}

/* Bytes of stack arguments that a jprobe's handler gets, at most. */
#define KP_ARCH_JPROBE_STACK	256

/* What a function finds at its entry; jprobe_call.S knows the offsets. */
struct kp_arch_jprobe {
	struct kp_arch_guard guard;	/* where the call is left to */
	unsigned long di, si, dx, cx, r8, r9;
	unsigned long ax;		/* variadic: vector registers used */
	unsigned long r10;		/* static chain */
	const void *vectors;		/* an image, or NULL */
	uint64_t components;		/* of it, for xrstor; 0: fxsave's */
	unsigned long skew;		/* address of stack[0], modulo 64 */
	uint8_t stack[KP_ARCH_JPROBE_STACK];
};

/*
 * A hit's vector registers, as fxsave or (64 byte aligned) xsave stores them; with
 * KP_ARCH_KEEP_ALL in the entry's own way.
 */
struct kp_arch_vectors {
	const void *image;
	uint64_t components;		/* that xsave stored; 0: fxsave */
	unsigned long keep;		/* enum kp_arch_keep; detour_entry.S's only */
};

#endif
