/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * targets.S - functions whose every word is known.
 *
 * Owns: what the conformance suite probes.  harness.h describes each.
 */
#define FUNC(name)							\
	.p2align 4;							\
	.globl name;							\
	.type name, %function;						\
name:
#define END(name) .size name, . - name

	.text

FUNC(t_add)
	stp	x29, x30, [sp, #-16]!
	mov	x29, sp
	add	x0, x0, x1
	ldp	x29, x30, [sp], #16
	ret
END(t_add)

FUNC(t_landing)
	bti	c
	mov	x1, #3
	add	x0, x0, x1
	ret
END(t_landing)

FUNC(t_first)
	mov	x0, #1
	ret
END(t_first)

FUNC(t_after)
	mov	x0, #2
	ret
END(t_after)

FUNC(t_skip)
	mov	x0, #1
	mov	x1, #1
	add	x0, x0, x1
	ret
END(t_skip)

FUNC(t_inner)
	nop
	add	x0, x0, #1
	ret
END(t_inner)

FUNC(t_inner2)
	nop
	add	x0, x0, #1
	ret
END(t_inner2)

FUNC(t_load)
	ldr	x0, [x0]
	ret
END(t_load)

FUNC(t_poke)
	str	x1, [x0]
	ret
END(t_poke)

FUNC(t_jump)
	cbz	x0, 1f
	mov	x0, #1
	ret
1:	mov	x0, #2
	ret
END(t_jump)

FUNC(t_calls)
	stp	x29, x30, [sp, #-16]!
	mov	x29, sp
	bl	t_inner
	ldp	x29, x30, [sp], #16
	ret
END(t_calls)

FUNC(t_marked)
	nop
	add	x0, x0, #1
	ret
END(t_marked)

FUNC(t_unmarked)
	nop
	add	x0, x0, #2
	ret
END(t_unmarked)

	/* No size, and a clone's name. */
	.p2align 4
	.globl	t_sizeless
	.type	t_sizeless, %function
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
	.inst	0x00000000
	nop
	ret
END(t_undecodable)

FUNC(t_flags)
	msr	nzcv, x0
	nop
	mrs	x0, nzcv
	ret
END(t_flags)

FUNC(t_long)
	nop
	mov	x0, #15
	ret
END(t_long)

FUNC(t_fill)
	mov	w2, #0x5a
	cbz	x1, 2f
1:	strb	w2, [x0], #1
	subs	x1, x1, #1
	b.ne	1b
2:	mov	x0, x1
	ret
END(t_fill)

FUNC(t_jump_mem)
	ldr	x16, [x0]
	br	x16
END(t_jump_mem)

FUNC(t_trap)
	mov	x0, #0
	brk	#0
	mov	x0, #8
	ret
END(t_trap)

	/* A process cannot step itself here. */
FUNC(t_single_step)
	mov	x0, #1
	add	x0, x0, #1
	nop
	ret
END(t_single_step)

#define REFUSED(name, word)						\
	FUNC(name)							\
	nop;								\
	.inst word;							\
	ret;								\
	END(name)

	REFUSED(t_ud2, 0x00000000)		/* udf #0 */
	REFUSED(t_int3, 0xd4200000)		/* brk #0 */
	REFUSED(t_intn, 0xd4000003)		/* smc #0 */
	REFUSED(t_iretq, 0xd69f03e0)		/* eret */
	REFUSED(t_hlt, 0xd4400000)		/* hlt #0 */
	REFUSED(t_vmcall, 0xd4000002)		/* hvc #0 */
	REFUSED(t_badop, 0x0c80ffff)		/* no such instruction */
	REFUSED(t_mwait, 0xd503207f)		/* wfi */
	REFUSED(t_cli, 0xd50342df)		/* msr daifset, #2 */

	.section .note.GNU-stack, "", %progbits
