/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jprobe_call.S - calling a jprobe's handler, and leaving it.
 *
 * Owns: the call with copied registers and stack arguments, and the way out.
 * Its struct starts with a guard: the call is left like an abandoned guarded
 * call, through kp_arch_guard_landing of entry.S, which also describes the
 * guard.  env_asm.h: see there.
 *
 * The handler's stack, as it finds it:
 *	args	copy of KP_ARCH_JPROBE_STACK bytes, aligned like the original
 *	%rsp -> return address, into kp_arch_jprobe_call
 */
#include "env_asm.h"

#define GUARD_SP	0
#define GUARD_IP	8
#define GUARD_BX	16
#define GUARD_BP	24
#define GUARD_R12	32
#define GUARD_R13	40
#define GUARD_R14	48
#define GUARD_R15	56
#define GUARD_ABORTED	64
/* struct kp_arch_jprobe; jprobe.c asserts the offsets. */
#define JPROBE_DI	72
#define JPROBE_SI	80
#define JPROBE_DX	88
#define JPROBE_CX	96
#define JPROBE_R8	104
#define JPROBE_R9	112
#define JPROBE_AX	120
#define JPROBE_R10	128
#define JPROBE_VECTORS	136
#define JPROBE_COMPONENTS 144
#define JPROBE_SKEW	152
#define JPROBE_STACK	160
#define STACK_LEN	256
/* In an fxsave or xsave image. */
#define IMAGE_XMM	160

	.section .text.kp_trap, "ax", @progbits

/* void kp_arch_jprobe_call(jprobe %rdi, fn %rsi) */
	.p2align 4
	.globl kp_arch_jprobe_call
	.hidden kp_arch_jprobe_call
	.type kp_arch_jprobe_call, @function
kp_arch_jprobe_call:
	KP_CFI(.cfi_startproc)
	mov	(%rsp), %rax
	mov	%rsp, GUARD_SP(%rdi)
	mov	%rax, GUARD_IP(%rdi)
	mov	%rbx, GUARD_BX(%rdi)
	mov	%rbp, GUARD_BP(%rdi)
	mov	%r12, GUARD_R12(%rdi)
	mov	%r13, GUARD_R13(%rdi)
	mov	%r14, GUARD_R14(%rdi)
	mov	%r15, GUARD_R15(%rdi)
	movq	$0, GUARD_ABORTED(%rdi)
	push	%rbp
	KP_CFI(.cfi_def_cfa_offset 16)
	KP_CFI(.cfi_offset rbp, -16)
	mov	%rsp, %rbp
	KP_CFI(.cfi_def_cfa_register rbp)
	mov	%rdi, %r10
	mov	%rsi, %r11
	/* Room, on a boundary of 64; then as far above it as the original. */
	lea	-(STACK_LEN + 64)(%rsp), %rax
	and	$-64, %rax
	add	JPROBE_SKEW(%r10), %rax
	mov	%rax, %rsp
	mov	%rax, %rdi
	lea	JPROBE_STACK(%r10), %rsi
	mov	$(STACK_LEN / 8), %ecx
#ifndef KP_DF_CLEAR
	cld
#endif
	rep movsq
	mov	JPROBE_VECTORS(%r10), %rcx
	test	%rcx, %rcx
	jz	2f
	mov	JPROBE_COMPONENTS(%r10), %rax
	test	%rax, %rax
	jz	1f
	mov	%rax, %rdx
	shr	$32, %rdx
	xrstor64 (%rcx)
#if KP_VECTORS
	/* The program may have unmasked exceptions, or round its own way. */
	ldmxcsr	mxcsr_usual(%rip)
#endif
	jmp	2f
1:	movups	IMAGE_XMM + 0(%rcx), %xmm0
	movups	IMAGE_XMM + 16(%rcx), %xmm1
	movups	IMAGE_XMM + 32(%rcx), %xmm2
	movups	IMAGE_XMM + 48(%rcx), %xmm3
	movups	IMAGE_XMM + 64(%rcx), %xmm4
	movups	IMAGE_XMM + 80(%rcx), %xmm5
	movups	IMAGE_XMM + 96(%rcx), %xmm6
	movups	IMAGE_XMM + 112(%rcx), %xmm7
2:	mov	JPROBE_DI(%r10), %rdi
	mov	JPROBE_SI(%r10), %rsi
	mov	JPROBE_DX(%r10), %rdx
	mov	JPROBE_CX(%r10), %rcx
	mov	JPROBE_R8(%r10), %r8
	mov	JPROBE_R9(%r10), %r9
	mov	JPROBE_AX(%r10), %rax
	mov	JPROBE_R10(%r10), %r10
	KP_CALL_REG(r11)
	leave
	KP_CFI(.cfi_def_cfa rsp, 8)
	KP_CFI(.cfi_restore rbp)
	KP_RET
	KP_CFI(.cfi_endproc)
	.size kp_arch_jprobe_call, . - kp_arch_jprobe_call

#if KP_VECTORS
	.p2align 2
mxcsr_usual:
	.long	0x1f80
#endif

/* void kp_arch_jprobe_leave(jprobe %rdi): return from the call above. */
	.p2align 4
	.globl kp_arch_jprobe_leave
	.hidden kp_arch_jprobe_leave
	.type kp_arch_jprobe_leave, @function
kp_arch_jprobe_leave:
	KP_CFI(.cfi_startproc)
	mov	GUARD_SP(%rdi), %rsp
	KP_UNWIND_FUNC
	jmp	kp_arch_guard_landing
	KP_CFI(.cfi_endproc)
	.size kp_arch_jprobe_leave, . - kp_arch_jprobe_leave

	.section .note.GNU-stack, "", @progbits
