/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jump_targets.S - functions in which a jump needs more than one instruction.
 *
 * Owns: what optimize.c probes; harness.h describes each.
 */
#ifdef __KERNEL__
#include <asm/nospec-branch.h>
#include <linux/objtool.h>
#else
#define ANNOTATE_INTRA_FUNCTION_CALL
#endif

#define FUNC(name)							\
	.p2align 4;							\
	.globl name;							\
	.type name, @function;						\
name:
#define END(name) .size name, . - name

/* A call within a function; a kernel's objtool wants to be told. */
.macro t_intra
	ANNOTATE_INTRA_FUNCTION_CALL
.endm

	.text

FUNC(t_sum)
	xor	%eax, %eax
1:	add	%rdi, %rax
	dec	%rdi
	jnz	1b
	ret
END(t_sum)

FUNC(t_called)
	jmp	3f
1:	nop
2:	add	$1, %rdi
	lea	(%rdi,%rdi), %rax
	ret
3:	t_intra
	call	1b
	mov	%rax, %rdi
	t_intra
	call	2b
	ret
END(t_called)

FUNC(t_indirect)
	lea	1f(%rip), %rax
	jmp	*%rax
	nop
1:	lea	7(%rdi), %rax
	ret
END(t_indirect)

FUNC(t_junk)
	nop
	lea	9(%rdi), %rax
	ret
	.byte	0x06, 0x06, 0x06
END(t_junk)

FUNC(t_relative)
	nop
	mov	t_data(%rip), %rax
	ret
END(t_relative)

FUNC(t_short)
	xor	%eax, %eax
	ret
END(t_short)
	.globl t_behind
	.type t_behind, @function
t_behind:
	mov	$7, %eax
	ret
END(t_behind)

FUNC(t_deep)
	sub	$8, %rsp
	nop
	call	*%rdi
	add	$7, %rax
	add	$8, %rsp
	ret
END(t_deep)

FUNC(t_wide)
	mov	$5, %eax
	lea	(%rdi,%rax), %rax
	ret
END(t_wide)

	.section .note.GNU-stack, "", @progbits
