/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jprobe_call.S - calling a jprobe's handler, and leaving it.
 *
 * Owns: the call with copied registers and stack arguments, and the way out.
 * Its struct starts with a guard: the call is left like an abandoned guarded
 * call, through kp_arch_guard_landing of entry.S.
 *
 * The handler's stack, as it finds it: a copy of KP_ARCH_JPROBE_STACK bytes.  Nothing
 * in it is aligned to more than 8, as the original's stack pointer is.
 */
#include "env_asm.h"
#include "guard_asm.h"
#include "jprobe_asm.h"

	.syntax unified
	.arm
	.fpu	vfpv3-d16
	.section .text.kp_trap, "ax", %progbits

/* void kp_arch_jprobe_call(jprobe r0, fn r1) */
	.p2align 2
	.globl kp_arch_jprobe_call
	.hidden kp_arch_jprobe_call
	.type kp_arch_jprobe_call, %function
kp_arch_jprobe_call:
	.fnstart
	fill_guard r0
	.save	{r5, r6, fp, lr}
	push	{r5, r6, fp, lr}
	.setfp	fp, sp			/* the one that a kernel's unwinder keeps */
	mov	fp, sp
	mov	r5, r1
	mov	r6, r0
	sub	sp, sp, #JPROBE_STACK_LEN
	add	r2, r6, #JPROBE_STACK
	mov	r3, sp
1:	ldr	ip, [r2], #4
	str	ip, [r3], #4
	cmp	r3, fp
	bne	1b
#if KP_VECTORS
	ldr	ip, [r6, #JPROBE_VECTORS]
	cmp	ip, #0
	beq	2f
	vldm	ip, {d0-d7}
2:
#endif
	add	ip, r6, #JPROBE_R
	ldm	ip, {r0-r3}
	blx	r5
	mov	sp, fp
	pop	{r5, r6, fp, pc}
	.fnend
	.size kp_arch_jprobe_call, . - kp_arch_jprobe_call

/* void kp_arch_jprobe_leave(jprobe r0): return from the call above. */
	.p2align 2
	.globl kp_arch_jprobe_leave
	.hidden kp_arch_jprobe_leave
	.type kp_arch_jprobe_leave, %function
kp_arch_jprobe_leave:
	.fnstart
	.cantunwind
	b	kp_arch_guard_landing
	.fnend
	.size kp_arch_jprobe_leave, . - kp_arch_jprobe_leave

	.section .note.GNU-stack, "", %progbits
