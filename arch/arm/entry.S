/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * entry.S - code that must choose its own registers.
 *
 * Owns: the guarded calls and their landing.  Invariant: no absolute relocation, so the same
 * text serves a shared object and a module.  Its callers may be of either set: so it returns
 * by what looks at bit 0.
 */
#include "guard_asm.h"

	.syntax unified
	.arm
	.section .text.kp_trap, "ax", %progbits

.macro	function name
	.p2align 2
	.globl	\name
	.hidden	\name
	.type	\name, %function
\name:
	.fnstart
.endm
.macro	end name
	.fnend
	.size	\name, . - \name
.endm

/*
 * long kp_arch_guard_call(guard r0, fn r1, a r2, b r3, c on the stack)
 * Result: fn's, or 0 when abandoned.
 */
function kp_arch_guard_call
	fill_guard r0
	.save	{r4, lr}
	push	{r4, lr}
	mov	ip, r1
	mov	r0, r2
	mov	r1, r3
	ldr	r2, [sp, #8]
	blx	ip
	pop	{r4, pc}
end kp_arch_guard_call

/*
 * long kp_arch_guard_pre(r0, r1, r2, guard r3)
 * The core's function returns to our caller.
 */
function kp_arch_guard_pre
	fill_guard r3
	b	kp_core_on_pre
end kp_arch_guard_pre

/*
 * Not called: kp_arch_guard_abort lets an exception return come here, guard in r0.
 * To its caller this is a return of kp_arch_guard_call or _pre.
 */
function kp_arch_guard_landing
	.cantunwind
	ldr	sp, [r0, #GUARD_SP]
	ldr	lr, [r0, #GUARD_IP]
	add	ip, r0, #GUARD_R4
	ldm	ip, {r4-r11}
	mov	ip, #1
	str	ip, [r0, #GUARD_ABORTED]
	mov	r0, #0
	bx	lr
end kp_arch_guard_landing

	.section .note.GNU-stack, "", %progbits
