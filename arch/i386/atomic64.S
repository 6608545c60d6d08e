/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * atomic64.S - words of 64 bits that others change.
 *
 * Owns: the functions that the compiler calls for them, since it may not use registers for
 * floating point: by cmpxchg8b, which is the Pentium's.  All are full barriers.
 *
 * With KP_REGPARM (entry.S) what fits in eax, edx and ecx is there: a word of 64 bits in two
 * of them or not at all, and behind one that does not fit everything is on the stack.
 */
#include "env_asm.h"

	.section .text.kp_trap, "ax", @progbits

.macro	function name
	.p2align 4
	.globl	\name
	.hidden	\name
	.type	\name, @function
\name:
	KP_CFI(.cfi_startproc)
	push	%edi
	KP_CFI(.cfi_def_cfa_offset 8)
	KP_CFI(.cfi_offset edi, -8)
#if KP_REGPARM
	mov	%eax, %edi
#else
	mov	8(%esp), %edi
#endif
.endm
.macro	and_ebx
	push	%ebx
	KP_CFI(.cfi_def_cfa_offset 12)
	KP_CFI(.cfi_offset ebx, -12)
.endm
.macro	no_ebx
	pop	%ebx
	KP_CFI(.cfi_def_cfa_offset 8)
	KP_CFI(.cfi_restore ebx)
.endm
.macro	end name
	pop	%edi
	KP_CFI(.cfi_def_cfa_offset 4)
	KP_CFI(.cfi_restore edi)
	KP_RET
	KP_CFI(.cfi_endproc)
	.size	\name, . - \name
.endm

/* uint64_t __atomic_load_8(p, order): whatever is compared, it is stored again. */
function __atomic_load_8
	mov	%ebx, %eax
	mov	%ecx, %edx
	lock cmpxchg8b (%edi)
end __atomic_load_8

/* void __atomic_store_8(p, uint64_t value, order) */
function __atomic_store_8
	and_ebx
#if KP_REGPARM
	mov	%edx, %ebx
#else
	mov	16(%esp), %ebx
	mov	20(%esp), %ecx
#endif
	mov	(%edi), %eax
	mov	4(%edi), %edx
1:	lock cmpxchg8b (%edi)
	jne	1b
	no_ebx
end __atomic_store_8

/* uint64_t __atomic_fetch_add_8(p, uint64_t value, order) */
function __atomic_fetch_add_8
	and_ebx
#if KP_REGPARM
	push	%ecx
	push	%edx
#else
	push	20(%esp)
	push	20(%esp)
#endif
	KP_CFI(.cfi_adjust_cfa_offset 8)
	mov	(%edi), %eax
	mov	4(%edi), %edx
1:	mov	(%esp), %ebx
	mov	4(%esp), %ecx
	add	%eax, %ebx
	adc	%edx, %ecx
	lock cmpxchg8b (%edi)
	jne	1b
	add	$8, %esp
	KP_CFI(.cfi_adjust_cfa_offset -8)
	no_ebx
end __atomic_fetch_add_8

/* bool __atomic_compare_exchange_8(p, uint64_t *expected, uint64_t desired, order, order) */
function __atomic_compare_exchange_8
	and_ebx
	push	%esi
	KP_CFI(.cfi_def_cfa_offset 16)
	KP_CFI(.cfi_offset esi, -16)
#if KP_REGPARM
	mov	%edx, %esi
	mov	16(%esp), %ebx
	mov	20(%esp), %ecx
#else
	mov	20(%esp), %esi
	mov	24(%esp), %ebx
	mov	28(%esp), %ecx
#endif
	mov	(%esi), %eax
	mov	4(%esi), %edx
	lock cmpxchg8b (%edi)
	mov	%eax, (%esi)
	mov	%edx, 4(%esi)
	sete	%al
	movzbl	%al, %eax
	pop	%esi
	KP_CFI(.cfi_def_cfa_offset 12)
	KP_CFI(.cfi_restore esi)
	no_ebx
end __atomic_compare_exchange_8

	.section .note.GNU-stack, "", @progbits
