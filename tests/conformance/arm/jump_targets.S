/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jump_targets.S - functions with branches all around the probed instruction.
 *
 * Owns: what optimize.c probes; harness.h describes each.
 */
#include "functions.h"

/* Of Thumb a jump on the first covers the beginning of the second, where the loop comes back to. */
FUNC(t_sum)
#ifdef __thumb__
	movs.n	r1, #0
#else
	mov	r1, #0
#endif
1:	W(add)	r1, r1, r0
	W(subs)	r0, r0, #1
	W(bne)	1b
	W(mov)	r0, r1
	bx	lr
END(t_sum)

FUNC(t_called)
	W(push)	{r11, lr}
	W(mov)	r11, sp
	W(b)	3f
1:	W(nop)
2:	W(add)	r1, r0, #1
	W(add)	r0, r1, r1
	bx	lr
3:	bl	1b
	bl	2b
	W(pop)	{r11, lr}
	bx	lr
END(t_called)

FUNC(t_indirect)
	W(adr)	r12, 1f
#ifdef __thumb__
	W(add)	r12, r12, #1
#endif
	bx	r12
	W(nop)
	.p2align 2
1:	W(add)	r0, r0, #7
	bx	lr
END(t_indirect)

FUNC(t_junk)
	W(nop)
	W(add)	r0, r0, #9
	bx	lr
	.inst	0xf7ffffff, 0xf7ffffff
END(t_junk)

FUNC(t_relative)
	W(nop)
	W(ldr)	r1, 2f
1:	W(add)	r1, r1, #0
	W(ldr)	r0, [r1]
	bx	lr
	.p2align 2
2:	.word	t_data
END(t_relative)

FUNC(t_short)
	W(mov)	r0, #0
	bx	lr
END(t_short)
	.globl t_behind
	.type t_behind, %function
t_behind:
	W(mov)	r0, #7
	bx	lr
END(t_behind)

FUNC(t_deep)
	W(push)	{r11, lr}
	W(nop)
	blx	r0
	W(add)	r0, r0, #7
	W(pop)	{r11, lr}
	bx	lr
END(t_deep)

FUNC(t_wide)
	W(mov)	r1, #5
	W(add)	r0, r0, r1
	bx	lr
END(t_wide)

	.section .note.GNU-stack, "", %progbits
