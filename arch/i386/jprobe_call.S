/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jprobe_call.S - calling a jprobe's handler, and leaving it.
 *
 * Owns: the call with copied registers and stack arguments, and the way out.
 * Its struct starts with a guard: the call is left like an abandoned guarded
 * call, through kp_arch_guard_landing of entry.S.
 *
 * The handler's stack, as it finds it:
 *	args	copy of KP_ARCH_JPROBE_STACK bytes, aligned like the original
 *	%esp -> return address, into kp_arch_jprobe_call
 * A handler that takes its arguments away (ret n) may: the frame is ebp's.
 */
#include "env_asm.h"
#include "guard_asm.h"

/* In an fxsave image. */
#define IMAGE_XMM	160

	.section .text.kp_trap, "ax", @progbits

/* void kp_arch_jprobe_call(jprobe, fn) */
	.p2align 4
	.globl kp_arch_jprobe_call
	.hidden kp_arch_jprobe_call
	.type kp_arch_jprobe_call, @function
kp_arch_jprobe_call:
	KP_CFI(.cfi_startproc)
#if !KP_REGPARM
	mov	4(%esp), %eax
	mov	8(%esp), %edx
#endif
	fill_guard %eax
	push	%ebp
	KP_CFI(.cfi_def_cfa_offset 8)
	KP_CFI(.cfi_offset ebp, -8)
	mov	%esp, %ebp
	KP_CFI(.cfi_def_cfa_register ebp)
	push	%esi
	KP_CFI(.cfi_offset esi, -12)
	push	%edi
	KP_CFI(.cfi_offset edi, -16)
	push	%ebx
	KP_CFI(.cfi_offset ebx, -20)
	mov	%edx, %ebx
	/* Room, on a boundary of 64; then as far above it as the original. */
	lea	-(JPROBE_STACK_LEN + 64)(%esp), %edi
	and	$-64, %edi
	add	JPROBE_SKEW(%eax), %edi
	mov	%edi, %esp
	lea	JPROBE_STACK(%eax), %esi
	mov	$(JPROBE_STACK_LEN / 4), %ecx
	cld
	rep movsl
#if KP_VECTORS
	mov	JPROBE_VECTORS(%eax), %ecx
	test	%ecx, %ecx
	jz	1f
	movups	IMAGE_XMM + 0(%ecx), %xmm0
	movups	IMAGE_XMM + 16(%ecx), %xmm1
	movups	IMAGE_XMM + 32(%ecx), %xmm2
1:
#endif
	mov	JPROBE_DX(%eax), %edx
	mov	JPROBE_CX(%eax), %ecx
	mov	JPROBE_AX(%eax), %eax
	KP_CALL_REG(ebx)
	mov	-4(%ebp), %esi
	KP_CFI(.cfi_restore esi)
	mov	-8(%ebp), %edi
	KP_CFI(.cfi_restore edi)
	mov	-12(%ebp), %ebx
	KP_CFI(.cfi_restore ebx)
	leave
	KP_CFI(.cfi_def_cfa esp, 4)
	KP_CFI(.cfi_restore ebp)
	KP_RET
	KP_CFI(.cfi_endproc)
	.size kp_arch_jprobe_call, . - kp_arch_jprobe_call

/* void kp_arch_jprobe_leave(jprobe): return from the call above. */
	.p2align 4
	.globl kp_arch_jprobe_leave
	.hidden kp_arch_jprobe_leave
	.type kp_arch_jprobe_leave, @function
kp_arch_jprobe_leave:
	KP_CFI(.cfi_startproc)
#if !KP_REGPARM
	mov	4(%esp), %eax
#endif
	mov	GUARD_SP(%eax), %esp
	jmp	kp_arch_guard_landing
	KP_CFI(.cfi_endproc)
	.size kp_arch_jprobe_leave, . - kp_arch_jprobe_leave

	.section .note.GNU-stack, "", @progbits
