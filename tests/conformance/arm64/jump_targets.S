/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jump_targets.S - functions with branches all around the probed instruction.
 *
 * Owns: what optimize.c probes; harness.h describes each.
 */
#define FUNC(name)							\
	.p2align 4;							\
	.globl name;							\
	.type name, %function;						\
name:
#define END(name) .size name, . - name

	.text

FUNC(t_sum)
	mov	x1, #0
1:	add	x1, x1, x0
	subs	x0, x0, #1
	b.ne	1b
	mov	x0, x1
	ret
END(t_sum)

FUNC(t_called)
	stp	x29, x30, [sp, #-16]!
	mov	x29, sp
	b	3f
1:	nop
2:	add	x1, x0, #1
	add	x0, x1, x1
	ret
3:	bl	1b
	bl	2b
	ldp	x29, x30, [sp], #16
	ret
END(t_called)

FUNC(t_indirect)
	adr	x16, 1f
	br	x16
	nop
1:	add	x0, x0, #7
	ret
END(t_indirect)

FUNC(t_junk)
	nop
	add	x0, x0, #9
	ret
	.inst	0, 0
END(t_junk)

FUNC(t_relative)
	adrp	x0, t_data
	ldr	x0, [x0, #:lo12:t_data]
	ret
END(t_relative)

FUNC(t_short)
	mov	x0, #0
	ret
END(t_short)
	.globl t_behind
	.type t_behind, %function
t_behind:
	mov	x0, #7
	ret
END(t_behind)

FUNC(t_deep)
	stp	x29, x30, [sp, #-16]!
	nop
	blr	x0
	add	x0, x0, #7
	ldp	x29, x30, [sp], #16
	ret
END(t_deep)

FUNC(t_wide)
	mov	x1, #5
	add	x0, x0, x1
	ret
END(t_wide)

	.section .note.GNU-stack, "", %progbits
