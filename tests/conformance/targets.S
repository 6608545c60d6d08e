/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * targets.S - functions whose every byte is known.
 *
 * Owns: what the conformance suite probes.  harness.h describes each.
 */
#ifdef __KERNEL__
#include <linux/linkage.h>
#include <asm/nospec-branch.h>
#define T_RET RET
#else
#define T_RET ret
#endif

#define FUNC(name)							\
	.p2align 4;							\
	.globl name;							\
	.type name, @function;						\
name:
#define END(name) .size name, . - name

	.text

FUNC(t_add)
	push	%rbp
	mov	%rsp, %rbp
	lea	(%rdi,%rsi), %rax
	pop	%rbp
	T_RET
END(t_add)

FUNC(t_landing)
	endbr64
	mov	%rdi, %rax
	add	$3, %rax
	T_RET
END(t_landing)

FUNC(t_first)
	mov	$1, %eax
	T_RET
END(t_first)

FUNC(t_next)
	mov	$2, %eax
	T_RET
END(t_next)

FUNC(t_skip)
	mov	$1, %eax
	stc
	adc	$0, %eax
	T_RET
END(t_skip)

FUNC(t_inner)
	nop
	lea	1(%rdi), %rax
	T_RET
END(t_inner)

FUNC(t_inner2)
	nop
	lea	1(%rdi), %rax
	T_RET
END(t_inner2)

FUNC(t_load)
	mov	(%rdi), %rax
	T_RET
END(t_load)

FUNC(t_poke)
	movq	$1, (%rdi)
	T_RET
END(t_poke)

FUNC(t_jump)
	test	%rdi, %rdi
	jz	1f
	mov	$1, %eax
	T_RET
1:	mov	$2, %eax
	T_RET
END(t_jump)

#define REFUSED(name, ...)						\
	FUNC(name)							\
	nop;								\
	.byte __VA_ARGS__;						\
	T_RET;								\
	END(name)

	REFUSED(t_ud2, 0x0f, 0x0b)
	REFUSED(t_int3, 0xcc)
	REFUSED(t_intn, 0xcd, 0x80)
	REFUSED(t_iretq, 0x48, 0xcf)
	REFUSED(t_hlt, 0xf4)
	REFUSED(t_lret, 0xcb)
	REFUSED(t_farjmp, 0xff, 0x2f)		/* ljmp *(%rdi) */
	REFUSED(t_farcall, 0xff, 0x1f)		/* lcall *(%rdi) */
	REFUSED(t_movss, 0x8e, 0xd0)		/* mov %eax,%ss */
	REFUSED(t_vmcall, 0x0f, 0x01, 0xc1)
	REFUSED(t_badop, 0x06)			/* push %es: not in 64-bit mode */

	.section .note.GNU-stack, "", @progbits
