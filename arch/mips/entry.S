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

#define FRAME	(ARGUMENTS + 16)
#define AT_RA	(FRAME - LONG)

	.section .text.kp_trap, "ax", @progbits

/*
 * long kp_arch_guard_call(guard, fn, a, b, c): on 32 bits c stands on the stack.
 * Result: fn's, or 0 when abandoned.
 */
function kp_arch_guard_call
	fill_guard $4
	ADDI	$29, $29, -FRAME
	KP_CFI(.cfi_def_cfa_offset FRAME)
	STORE	$31, AT_RA($29)
	KP_CFI(.cfi_offset 31, -LONG)
	move	$25, $5
	move	$4, $6
	move	$5, $7
#ifdef __mips64
	move	$6, $8
#else
	lw	$6, FRAME + 16($29)
#endif
	jalr	$25
	nop
	LOAD	$31, AT_RA($29)
	KP_CFI(.cfi_restore 31)
	ADDI	$29, $29, FRAME
	KP_CFI(.cfi_def_cfa_offset 0)
	jr	$31
	nop
end kp_arch_guard_call

/*
 * long kp_arch_guard_pre(ctx, child, regs, guard)
 * The core's function returns to our caller.
 */
function kp_arch_guard_pre
	fill_guard $7
	move	$24, $31
	KP_CFI(.cfi_register 31, 24)
	address	kp_core_on_pre
	move	$31, $24
	KP_CFI(.cfi_restore 31)
	jr	$25
	nop
end kp_arch_guard_pre

/*
 * Not called: kp_arch_guard_abort lets a return from a signal come here, guard in $4.
 * To its caller this is a return of kp_arch_guard_call or _pre.
 */
function kp_arch_guard_landing
	LOAD	$29, GUARD_SP($4)
	LOAD	$31, GUARD_IP($4)
	each_saved LOAD, $4
	li	$2, 1
	STORE	$2, GUARD_ABORTED($4)
	jr	$31
	move	$2, $0
end kp_arch_guard_landing

	.section .note.GNU-stack, "", @progbits
