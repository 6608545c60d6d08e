/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * targets.S - functions whose every byte is known.
 *
 * Owns: what the conformance suite probes.  harness.h describes each; those that it says
 * take their arguments in registers have them in eax and edx, in a process, too.
 */
#include "functions.h"

FUNC(t_add)
	push	%ebp
	mov	%esp, %ebp
#ifdef CONFIG_X86_32
	/* Longer than a jump: no other can be there, in a kernel. */
	{disp32} lea (%eax,%edx), %eax
#else
	{disp8} lea (%eax,%edx), %eax
#endif
	pop	%ebp
	ret
END(t_add)

FUNC(t_landing)
	endbr32
	arg	1, %eax
	add	$3, %eax
	ret
END(t_landing)

FUNC(t_first)
	mov	$1, %eax
	ret
END(t_first)

FUNC(t_after)
	mov	$2, %eax
	ret
END(t_after)

FUNC(t_skip)
	mov	$1, %eax
	stc
	adc	$0, %eax
	ret
END(t_skip)

.macro	nop_and_add nr
	nop
	arg	1, %eax
	add	$\nr, %eax
	ret
.endm

FUNC(t_inner)
	nop_and_add 1
END(t_inner)

FUNC(t_inner2)
	nop_and_add 1
END(t_inner2)

FUNC(t_load)
	mov	(%eax), %eax
	ret
END(t_load)

FUNC(t_poke)
	movl	$1, (%eax)
	ret
END(t_poke)

FUNC(t_jump)
	arg	1, %eax
	test	%eax, %eax
	jz	1f
	mov	$1, %eax
	ret
1:	mov	$2, %eax
	ret
END(t_jump)

FUNC(t_calls)
	push	%ebp
	mov	%esp, %ebp
#ifdef CONFIG_X86_32
	{disp8} lea 0(%esi), %esi
#else
	push	8(%ebp)
#endif
	call	t_inner
	leave
	ret
END(t_calls)

FUNC(t_marked)
	nop_and_add 1
END(t_marked)

FUNC(t_unmarked)
	nop_and_add 2
END(t_unmarked)

	/* No size, and a clone's name. */
	.p2align 4
	.globl	t_sizeless
	.type	t_sizeless, @function
t_sizeless:
	nop
	ret

FUNC(t_clone)
	nop
	ret
END(t_clone)
FUNC(t_clone.part.0)
	nop
	ret
END(t_clone.part.0)
FUNC(t_unmarked.part.0)
	nop
	ret
END(t_unmarked.part.0)

FUNC(t_undecodable)
	nop
	.byte	0xff, 0xff		/* no instruction */
	nop
	ret
END(t_undecodable)

FUNC(t_flags)
#ifdef CONFIG_X86_32
	push	%eax
	{disp8} lea 0(%esi), %esi
#else
	push	4(%esp)
#endif
	popf
	nop
	pushf
	cld
	pop	%eax
	ret
END(t_flags)

FUNC(t_long)
	.byte	0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x2e
	.byte	0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0
	mov	$15, %eax
	ret
END(t_long)

FUNC(t_fill)
	push	%edi
	arg	1, %edi, 4
	arg	2, %ecx, 4
	mov	$0x5a, %eax
	rep stosb
	mov	%ecx, %eax
	pop	%edi
	ret
END(t_fill)

FUNC(t_jump_mem)
	jmp	*(%eax)
END(t_jump_mem)

FUNC(t_trap)
	xor	%eax, %eax
	int3
	mov	$8, %eax
	ret
END(t_trap)

	/* The trap flag is on from after popf to after the second popf. */
FUNC(t_single_step)
	mov	$1, %eax
	pushf
	orl	$0x100, (%esp)
	popf
	add	$1, %eax
	push	%eax
	pop	%eax
	jmp	1f
1:	nop
	pushf
	andl	$~0x100, (%esp)
	popf
	ret
END(t_single_step)

FUNC(t_cli)
	nop
	cli
	ret
END(t_cli)

.macro	refused name, bytes:vararg
FUNC(\name)
	nop
	.byte	\bytes
	ret
END(\name)
.endm

	refused	t_ud2, 0x0f, 0x0b
	refused	t_int3, 0xcc
	refused	t_intn, 0xcd, 0x81
	refused	t_iretq, 0xcf
	refused	t_hlt, 0xf4
	refused	t_lret, 0xcb
	refused	t_farjmp, 0xff, 0x2f		/* ljmp *(%edi) */
	refused	t_farcall, 0xff, 0x1f		/* lcall *(%edi) */
	refused	t_movss, 0x8e, 0xd0		/* mov %eax,%ss */
	refused	t_vmcall, 0x0f, 0x01, 0xc1
	refused	t_badop, 0xff, 0xff
	refused	t_xen, 0x0f, 0x0b, 0x78, 0x65, 0x6e, 0x0f, 0xa2
	refused	t_kvm, 0x0f, 0x0b, 0x6b, 0x76, 0x6d, 0x0f, 0xa2
	refused	t_mwait, 0x0f, 0x01, 0xc9
	refused	t_sysenter, 0x0f, 0x34
	refused	t_branch_16, 0x66, 0xe9, 0, 0
	refused	t_branch_fs, 0x64, 0xff, 0x15, 0x14, 0, 0, 0

	.section .note.GNU-stack, "", @progbits
