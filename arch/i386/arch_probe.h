/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * arch_probe.h - data and constants of i386.
 *
 * Owns: what a guarded call or a jprobe's keeps on its caller's stack, and numbers.
 * arch/x86/each_hit.h has what 64-bit code has, too.
 */
#ifndef KP_I386_ARCH_PROBE_H
#define KP_I386_ARCH_PROBE_H

#include "regs.h"
#include "each_hit.h"

#define KP_ARCH_RETURNS		1
#define KP_ARCH_JPROBES		1

/* Callee-saved state of kp_arch_guard_call; guard_asm.h has the offsets. */
struct kp_arch_guard {
	unsigned long sp, ip, bx, bp, si, di;
	unsigned long aborted;
};

KP_ARCH_EACH_HIT bool
kp_arch_guard_aborted(const struct kp_arch_guard *guard)
{
	return guard->aborted;
}

/* Bytes of stack arguments that a jprobe's handler gets, at most. */
#define KP_ARCH_JPROBE_STACK	256

/* What a function finds at its entry; guard_asm.h has the offsets. */
struct kp_arch_jprobe {
	struct kp_arch_guard guard;	/* where the call is left to */
	unsigned long ax, dx, cx;	/* with regparm, or a static chain */
	const void *vectors;		/* an image as fxsave stores it, or NULL */
	unsigned long skew;		/* address of stack[0], modulo 64 */
	uint8_t stack[KP_ARCH_JPROBE_STACK];
};

/* A hit's vector registers, as fxsave stores them. */
struct kp_arch_vectors {
	const void *image;
	uint64_t components;		/* that xsave stored; 0: fxsave */
	unsigned long keep;		/* enum kp_arch_keep */
};

#define KP_ARCH_HUB_LEN		8	/* a jmp: nobody needs one, all is in reach */

#define KP_ARCH_LANDING_TRAP	13	/* #GP: what a hlt is to a program */

#include "no_lean.h"

#endif
