/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * entry.S - code that must choose its own registers.
 *
 * Owns: the guarded calls and their landing.  env_asm.h of the host supplies
 * KP_RET, KP_CALL_REG(reg), KP_CFI(directive), KP_UNWIND_FUNC, and defines
 * KP_DF_CLEAR where its own entry code has cleared the direction flag.  Invariant: no
 * absolute relocation, so the same text serves a shared object and a module.
 */
#include "env_asm.h"

/* struct kp_arch_guard; guard.c asserts the offsets. */
#define GUARD_SP	0
#define GUARD_IP	8
#define GUARD_BX	16
#define GUARD_BP	24
#define GUARD_R12	32
#define GUARD_R13	40
#define GUARD_R14	48
#define GUARD_R15	56
#define GUARD_ABORTED	64

.macro	fill_guard guard
	mov	(%rsp), %rax
	mov	%rsp, GUARD_SP(\guard)
	mov	%rax, GUARD_IP(\guard)
	mov	%rbx, GUARD_BX(\guard)
	mov	%rbp, GUARD_BP(\guard)
	mov	%r12, GUARD_R12(\guard)
	mov	%r13, GUARD_R13(\guard)
	mov	%r14, GUARD_R14(\guard)
	mov	%r15, GUARD_R15(\guard)
	movq	$0, GUARD_ABORTED(\guard)
.endm

	.section .text.kp_trap, "ax", @progbits

/*
 * long kp_arch_guard_call(guard %rdi, fn %rsi, a %rdx, b %rcx, c %r8)
 * Result: fn's, or 0 when abandoned.  GUARD_SP points at our return address.
 */
	.p2align 4
	.globl kp_arch_guard_call
	.hidden kp_arch_guard_call
	.type kp_arch_guard_call, @function
kp_arch_guard_call:
	KP_CFI(.cfi_startproc)
	fill_guard %rdi
	push	%rbp
	KP_CFI(.cfi_def_cfa_offset 16)
	KP_CFI(.cfi_offset rbp, -16)
	mov	%rsp, %rbp
	KP_CFI(.cfi_def_cfa_register rbp)
	and	$-16, %rsp
	mov	%rsi, %rax
	mov	%rdx, %rdi
	mov	%rcx, %rsi
	mov	%r8, %rdx
#ifndef KP_DF_CLEAR
	cld
#endif
	KP_CALL_REG(rax)
	leave
	KP_CFI(.cfi_def_cfa rsp, 8)
	KP_CFI(.cfi_restore rbp)
	KP_RET
	KP_CFI(.cfi_endproc)
	.size kp_arch_guard_call, . - kp_arch_guard_call

/*
 * long kp_arch_guard_pre(%rdi, %rsi, %rdx, guard %rcx)
 * The core's function returns to our caller.
 */
	.p2align 4
	.globl kp_arch_guard_pre
	.hidden kp_arch_guard_pre
	.type kp_arch_guard_pre, @function
kp_arch_guard_pre:
	KP_CFI(.cfi_startproc)
	fill_guard %rcx
	jmp	kp_core_on_pre
	KP_CFI(.cfi_endproc)
	.size kp_arch_guard_pre, . - kp_arch_guard_pre

/*
 * Not called: kp_arch_guard_abort lets an exception return come here, guard in
 * %rdi, %rsp as on entry to kp_arch_guard_call or _pre.
 */
	.p2align 4
	.globl kp_arch_guard_landing
	.hidden kp_arch_guard_landing
	.type kp_arch_guard_landing, @function
kp_arch_guard_landing:
	KP_NO_TARGET
	KP_CFI(.cfi_startproc)
	KP_UNWIND_FUNC
	mov	GUARD_BX(%rdi), %rbx
	mov	GUARD_BP(%rdi), %rbp
	mov	GUARD_R12(%rdi), %r12
	mov	GUARD_R13(%rdi), %r13
	mov	GUARD_R14(%rdi), %r14
	mov	GUARD_R15(%rdi), %r15
	/* The abandoned callee may have reused our return address's slot. */
	mov	GUARD_IP(%rdi), %rax
	mov	%rax, (%rsp)
	movq	$1, GUARD_ABORTED(%rdi)
	xor	%eax, %eax
	KP_RET
	KP_CFI(.cfi_endproc)
	.size kp_arch_guard_landing, . - kp_arch_guard_landing

	.section .note.GNU-stack, "", @progbits
