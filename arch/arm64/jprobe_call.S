/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jprobe_call.S - calling a jprobe's handler, and leaving it.
 *
 * Owns: the call with copied registers and stack arguments, and the way out.
 * Its struct starts with a guard: the call is left like an abandoned guarded
 * call, through kp_arch_guard_landing of entry.S.
 *
 * The handler's stack, as it finds it: a copy of KP_ARCH_JPROBE_STACK bytes.  Nothing
 * in it is aligned to more than 16, as the original's stack pointer is.
 */
#include "env_asm.h"
#include "guard_asm.h"
#include "jprobe_asm.h"

	.section .text.kp_trap, "ax", %progbits

/* void kp_arch_jprobe_call(jprobe x0, fn x1) */
	.p2align 4
	.globl kp_arch_jprobe_call
	.hidden kp_arch_jprobe_call
	.type kp_arch_jprobe_call, %function
kp_arch_jprobe_call:
	KP_CFI(.cfi_startproc)
	fill_guard x0
	stp	x29, x30, [sp, #-16]!
	KP_CFI(.cfi_def_cfa_offset 16)
	KP_CFI(.cfi_offset 29, -16)
	KP_CFI(.cfi_offset 30, -8)
	mov	x29, sp
	KP_CFI(.cfi_def_cfa_register 29)
	sub	sp, sp, #JPROBE_STACK_LEN
	mov	x9, x0
	mov	x10, x1
	mov	x11, #0
1:	add	x12, x9, x11
	ldp	x13, x14, [x12, #JPROBE_STACK]
	add	x12, sp, x11
	stp	x13, x14, [x12]
	add	x11, x11, #16
	cmp	x11, #JPROBE_STACK_LEN
	b.ne	1b
#if KP_VECTORS
	ldr	x11, [x9, #JPROBE_VECTORS]
	cbz	x11, 2f
	ldp	q0, q1, [x11]
	ldp	q2, q3, [x11, #32]
	ldp	q4, q5, [x11, #64]
	ldp	q6, q7, [x11, #96]
2:
#endif
	ldp	x0, x1, [x9, #JPROBE_X]
	ldp	x2, x3, [x9, #JPROBE_X + 16]
	ldp	x4, x5, [x9, #JPROBE_X + 32]
	ldp	x6, x7, [x9, #JPROBE_X + 48]
	ldr	x8, [x9, #JPROBE_X + 64]
	blr	x10
	mov	sp, x29
	ldp	x29, x30, [sp], #16
	KP_CFI(.cfi_def_cfa 31, 0)
	KP_CFI(.cfi_restore 29)
	KP_CFI(.cfi_restore 30)
	ret
	KP_CFI(.cfi_endproc)
	.size kp_arch_jprobe_call, . - kp_arch_jprobe_call

/* void kp_arch_jprobe_leave(jprobe x0): return from the call above. */
	.p2align 4
	.globl kp_arch_jprobe_leave
	.hidden kp_arch_jprobe_leave
	.type kp_arch_jprobe_leave, %function
kp_arch_jprobe_leave:
	KP_CFI(.cfi_startproc)
	b	kp_arch_guard_landing
	KP_CFI(.cfi_endproc)
	.size kp_arch_jprobe_leave, . - kp_arch_jprobe_leave

	.section .note.GNU-stack, "", %progbits
