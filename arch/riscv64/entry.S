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

.macro	function name
	.p2align 2
	.globl	\name
	.hidden	\name
	.type	\name, %function
\name:
	KP_CFI(.cfi_startproc)
.endm
.macro	end name
	KP_CFI(.cfi_endproc)
	.size	\name, . - \name
.endm

/*
 * long kp_arch_guard_call(guard a0, fn a1, a a2, b a3, c a4)
 * Result: fn's, or 0 when abandoned.
 */
function kp_arch_guard_call
	fill_guard a0
	addi	sp, sp, -16
	KP_CFI(.cfi_def_cfa_offset 16)
	sd	ra, 8(sp)
	KP_CFI(.cfi_offset ra, -8)
	mv	t0, a1
	mv	a0, a2
	mv	a1, a3
	mv	a2, a4
	jalr	t0
	ld	ra, 8(sp)
	KP_CFI(.cfi_restore ra)
	addi	sp, sp, 16
	KP_CFI(.cfi_def_cfa_offset 0)
	ret
end kp_arch_guard_call

/*
 * long kp_arch_guard_pre(a0, a1, a2, guard a3)
 * The core's function returns to our caller.
 */
function kp_arch_guard_pre
	fill_guard a3
	tail	kp_core_on_pre
end kp_arch_guard_pre

/*
 * Not called: kp_arch_guard_abort lets an exception return come here, guard in a0.
 * To its caller this is a return of kp_arch_guard_call or _pre.
 */
function kp_arch_guard_landing
	ld	sp, GUARD_SP(a0)
	ld	ra, GUARD_IP(a0)
	each_saved ld, a0
	li	t0, 1
	sd	t0, GUARD_ABORTED(a0)
	li	a0, 0
	ret
end kp_arch_guard_landing

	.section .note.GNU-stack, "", %progbits
