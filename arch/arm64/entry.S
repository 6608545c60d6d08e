/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * entry.S - code that must choose its own registers.
 *
 * Owns: the guarded calls and their landing.  env_asm.h of the host supplies
 * KP_CFI(directive).  Invariant: no absolute relocation, so the same text serves a
 * shared object and a module.
 */
#include "env_asm.h"
#include "guard_asm.h"

	.section .text.kp_trap, "ax", %progbits

/*
 * long kp_arch_guard_call(guard x0, fn x1, a x2, b x3, c x4)
 * Result: fn's, or 0 when abandoned.
 */
	.p2align 4
	.globl kp_arch_guard_call
	.hidden kp_arch_guard_call
	.type kp_arch_guard_call, %function
kp_arch_guard_call:
	KP_CFI(.cfi_startproc)
	fill_guard x0
	stp	x29, x30, [sp, #-16]!
	KP_CFI(.cfi_def_cfa_offset 16)
	KP_CFI(.cfi_offset 29, -16)
	KP_CFI(.cfi_offset 30, -8)
	mov	x29, sp
	mov	x9, x1
	mov	x0, x2
	mov	x1, x3
	mov	x2, x4
	blr	x9
	ldp	x29, x30, [sp], #16
	KP_CFI(.cfi_def_cfa_offset 0)
	KP_CFI(.cfi_restore 29)
	KP_CFI(.cfi_restore 30)
	ret
	KP_CFI(.cfi_endproc)
	.size kp_arch_guard_call, . - kp_arch_guard_call

/*
 * long kp_arch_guard_pre(x0, x1, x2, guard x3)
 * The core's function returns to our caller.
 */
	.p2align 4
	.globl kp_arch_guard_pre
	.hidden kp_arch_guard_pre
	.type kp_arch_guard_pre, %function
kp_arch_guard_pre:
	KP_CFI(.cfi_startproc)
	fill_guard x3
	b	kp_core_on_pre
	KP_CFI(.cfi_endproc)
	.size kp_arch_guard_pre, . - kp_arch_guard_pre

/*
 * Not called: kp_arch_guard_abort lets an exception return come here, guard in x0.
 * To its caller this is a return of kp_arch_guard_call or _pre.
 */
	.p2align 4
	.globl kp_arch_guard_landing
	.hidden kp_arch_guard_landing
	.type kp_arch_guard_landing, %function
kp_arch_guard_landing:
	KP_CFI(.cfi_startproc)
	ldp	x9, x30, [x0, #GUARD_SP]
	mov	sp, x9
	ldp	x19, x20, [x0, #GUARD_X19]
	ldp	x21, x22, [x0, #GUARD_X19 + 16]
	ldp	x23, x24, [x0, #GUARD_X19 + 32]
	ldp	x25, x26, [x0, #GUARD_X19 + 48]
	ldp	x27, x28, [x0, #GUARD_X19 + 64]
	ldr	x29, [x0, #GUARD_X19 + 80]
	mov	x9, #1
	str	x9, [x0, #GUARD_ABORTED]
	mov	x0, #0
	ret
	KP_CFI(.cfi_endproc)
	.size kp_arch_guard_landing, . - kp_arch_guard_landing

	.section .note.GNU-stack, "", %progbits
