/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * entry.S - code that must choose its own registers.
 *
 * Owns: the guarded calls and their landing.  env_asm.h of the host supplies
 * KP_CFI(directive), KP_RET, KP_CALL_REG(register) and KP_REGPARM: the first three arguments
 * are in eax, edx and ecx, here and wherever C is called.  Invariant: no absolute relocation, so the same text serves a
 * shared object and a module.
 */
#include "env_asm.h"
#include "guard_asm.h"

	.section .text.kp_trap, "ax", @progbits

.macro	function name
	.p2align 4
	.globl	\name
	.hidden	\name
	.type	\name, @function
\name:
	KP_CFI(.cfi_startproc)
.endm
.macro	end name
	KP_CFI(.cfi_endproc)
	.size	\name, . - \name
.endm

/*
 * long kp_arch_guard_call(guard, fn, a, b, c)
 * Result: fn's, or 0 when abandoned.  GUARD_SP points at our return address.
 */
function kp_arch_guard_call
#if KP_REGPARM
	fill_guard %eax
	push	%ebp
	mov	%esp, %ebp
	push	%ebx
	mov	%edx, %ebx
	mov	%ecx, %eax
	mov	8(%ebp), %edx
	mov	12(%ebp), %ecx
	KP_CALL_REG(ebx)
	mov	-4(%ebp), %ebx
	leave
	KP_RET
#else
	mov	4(%esp), %eax
	fill_guard %eax
	push	%ebp
	KP_CFI(.cfi_def_cfa_offset 8)
	KP_CFI(.cfi_offset ebp, -8)
	mov	%esp, %ebp
	KP_CFI(.cfi_def_cfa_register ebp)
	and	$-16, %esp
	sub	$4, %esp
	push	24(%ebp)
	push	20(%ebp)
	push	16(%ebp)
	cld
	call	*12(%ebp)
	leave
	KP_CFI(.cfi_def_cfa esp, 4)
	KP_CFI(.cfi_restore ebp)
	ret
#endif
end kp_arch_guard_call

/*
 * long kp_arch_guard_pre(ctx, child, regs, guard)
 * The core's function has the first three where they are, and returns to our caller.
 */
function kp_arch_guard_pre
#if KP_REGPARM
	push	%eax
	mov	8(%esp), %eax
	fill_guard %eax, 4
	pop	%eax
#else
	mov	16(%esp), %eax
	fill_guard %eax
#endif
	jmp	kp_core_on_pre
end kp_arch_guard_pre

/*
 * Not called: kp_arch_guard_abort lets an exception return come here, guard in %eax,
 * %esp as on entry to kp_arch_guard_call or _pre.
 */
function kp_arch_guard_landing
	mov	GUARD_BX(%eax), %ebx
	mov	GUARD_BP(%eax), %ebp
	mov	GUARD_SI(%eax), %esi
	mov	GUARD_DI(%eax), %edi
	/* The abandoned callee may have reused our return address's slot. */
	mov	GUARD_IP(%eax), %ecx
	mov	%ecx, (%esp)
	movl	$1, GUARD_ABORTED(%eax)
	xor	%eax, %eax
	KP_RET
end kp_arch_guard_landing

	.section .note.GNU-stack, "", @progbits
