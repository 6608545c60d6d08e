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

FUNC(t_after)
	mov	$2, %eax
	T_RET
END(t_after)

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

FUNC(t_calls)
	push	%rbp
	mov	%rsp, %rbp
	call	t_inner
	pop	%rbp
	T_RET
END(t_calls)

FUNC(t_marked)
	nop
	lea	1(%rdi), %rax
	T_RET
END(t_marked)

FUNC(t_unmarked)
	nop
	lea	2(%rdi), %rax
	T_RET
END(t_unmarked)

	/* No size, and a clone's name. */
	.p2align 4
	.globl	t_sizeless
	.type	t_sizeless, @function
t_sizeless:
	nop
	T_RET

FUNC(t_clone)
	nop
	T_RET
END(t_clone)
FUNC(t_clone.part.0)
	nop
	T_RET
END(t_clone.part.0)
FUNC(t_unmarked.part.0)
	nop
	T_RET
END(t_unmarked.part.0)

FUNC(t_undecodable)
	nop
	.byte	0x06			/* push %es: not in 64-bit mode */
	nop
	T_RET
END(t_undecodable)

FUNC(t_flags)
	push	%rdi
	popf
	nop
	pushf
	cld
	pop	%rax
	T_RET
END(t_flags)

FUNC(t_long)
	.byte	0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x2e
	.byte	0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0
	mov	$15, %eax
	T_RET
END(t_long)

FUNC(t_fill)
	mov	%rsi, %rcx
	mov	$0x5a, %eax
	rep stosb
	mov	%rcx, %rax
	T_RET
END(t_fill)

FUNC(t_jump_mem)
	jmp	*(%rdi)
END(t_jump_mem)

FUNC(t_trap)
	xor	%eax, %eax
	int3
	mov	$8, %eax
	T_RET
END(t_trap)

	/* The trap flag is on from after popf to after the second popf. */
FUNC(t_single_step)
	mov	$1, %eax
	pushf
	orq	$0x100, (%rsp)
	popf
	add	$1, %eax
	push	%rax
	pop	%rax
	jmp	1f
1:	nop
	pushf
	andq	$~0x100, (%rsp)
	popf
	T_RET
END(t_single_step)

FUNC(t_cli)
	nop
	cli
	T_RET
END(t_cli)

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
	REFUSED(t_jump_67, 0x67, 0xff, 0x27)	/* jmp *(%edi) */
	REFUSED(t_xen, 0x0f, 0x0b, 0x78, 0x65, 0x6e, 0x0f, 0xa2)
	REFUSED(t_kvm, 0x0f, 0x0b, 0x6b, 0x76, 0x6d, 0x0f, 0xa2)
	REFUSED(t_mwait, 0x0f, 0x01, 0xc9)

	.section .note.GNU-stack, "", @progbits
