/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jump_targets.S - functions in which a jump would need more than one instruction.
 *
 * Owns: what harness.h describes of them.
 */
#include "functions.h"

FUNC(t_sum)
#ifdef CONFIG_X86_32
	lea.d8	0(%eax), %edx
1:	lea	-1(%eax,%edx), %eax
	dec	%edx
#else
	xor	%eax, %eax
1:	add	4(%esp), %eax
	decl	4(%esp)
#endif
	jnz	1b
	ret
END(t_sum)

FUNC(t_called)
	jmp	3f
1:	nop
2:	add	$1, %ecx
	lea	(%ecx,%ecx), %eax
	ret
3:	arg	1, %ecx
	call	1b
	mov	%eax, %ecx
	call	2b
	ret
END(t_called)

FUNC(t_indirect)
	mov	$1f, %edx
	jmp	*%edx
	nop
1:	arg	1, %eax
	add	$7, %eax
	ret
END(t_indirect)

FUNC(t_junk)
	nop
	arg	1, %eax
	add	$9, %eax
	ret
	.byte	0xff, 0xff, 0xff
END(t_junk)

FUNC(t_relative)
	nop
	mov	t_data, %eax
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
	sub	$12, %esp
	nop
#ifdef CONFIG_X86_32
	call	*%eax
#else
	call	*16(%esp)
#endif
	add	$7, %eax
	add	$12, %esp
	ret
END(t_deep)

FUNC(t_wide)
#ifdef CONFIG_X86_32
	mov	$5, %ecx
	{load} add %ecx, %eax
#else
	mov	$5, %eax
	add	4(%esp), %eax
#endif
	ret
END(t_wide)

	.section .note.GNU-stack, "", @progbits
