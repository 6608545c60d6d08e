/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * targets.S - functions whose every word is known.
 *
 * Owns: what the conformance suite probes.  harness.h describes each.
 */
#include "functions.h"

FUNC(t_add)
	W(push)	{r11, lr}
	W(mov)	r11, sp
	W(add)	r0, r0, r1
	W(pop)	{r11, lr}
	bx	lr
END(t_add)

FUNC(t_landing)
	W(nop)
	W(mov)	r1, #3
	W(add)	r0, r0, r1
	bx	lr
END(t_landing)

FUNC(t_first)
	W(mov)	r0, #1
	bx	lr
END(t_first)

FUNC(t_after)
	W(mov)	r0, #2
	bx	lr
END(t_after)

FUNC(t_skip)
	W(mov)	r0, #1
	W(mov)	r1, #1
	W(add)	r0, r0, r1
	bx	lr
END(t_skip)

.macro	nop_and_add nr
	W(nop)
	W(add)	r0, r0, #\nr
	bx	lr
.endm

FUNC(t_inner)
	nop_and_add 1
END(t_inner)

FUNC(t_inner2)
	nop_and_add 1
END(t_inner2)

FUNC(t_load)
	W(ldr)	r0, [r0]
	bx	lr
END(t_load)

FUNC(t_poke)
	W(str)	r1, [r0]
	bx	lr
END(t_poke)

FUNC(t_jump)
	W(movs)	r0, r0
	W(beq)	1f
	W(mov)	r0, #1
	bx	lr
1:	W(mov)	r0, #2
	bx	lr
END(t_jump)

FUNC(t_calls)
	W(push)	{r11, lr}
	W(mov)	r11, sp
	bl	t_inner
	W(pop)	{r11, lr}
	bx	lr
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
	.type	t_sizeless, %function
t_sizeless:
	W(nop)
	bx	lr

FUNC(t_clone)
	W(nop)
	bx	lr
END(t_clone)
FUNC(t_clone.part.0)
	W(nop)
	bx	lr
END(t_clone.part.0)
FUNC(t_unmarked.part.0)
	W(nop)
	bx	lr
END(t_unmarked.part.0)

#ifdef __thumb__
#define UNKNOWN 0xfb00ffff
#else
#define UNKNOWN 0xf7ffffff
#endif

FUNC(t_undecodable)
	W(nop)
	.inst	UNKNOWN
	W(nop)
	bx	lr
END(t_undecodable)

FUNC(t_flags)
	msr	APSR_nzcvq, r0
	W(nop)
	mrs	r0, APSR
	W(and)	r0, r0, #0xf8000000
	bx	lr
END(t_flags)

FUNC(t_long)
	W(nop)
	W(mov)	r0, #15
	bx	lr
END(t_long)

FUNC(t_fill)
	W(mov)	r2, #0x5a
	W(movs)	r1, r1
	W(beq)	2f
1:	W(strb)	r2, [r0], #1
	W(subs)	r1, r1, #1
	W(bne)	1b
2:	W(mov)	r0, r1
	bx	lr
END(t_fill)

FUNC(t_jump_mem)
	W(ldr)	pc, [r0]
END(t_jump_mem)

	/* Somebody's breakpoint, and it is as long as ours. */
FUNC(t_trap)
	W(mov)	r0, #0
#ifdef __thumb__
	bkpt	#1
#elif defined(MODULE)
	udf	#0xfdee			/* debuggers', of kernels */
#else
	udf	#0x10
#endif
	W(mov)	r0, #8
	bx	lr
END(t_trap)

	/* A process cannot step itself here. */
FUNC(t_single_step)
	W(mov)	r0, #1
	W(add)	r0, r0, #1
	W(nop)
	bx	lr
END(t_single_step)

	/* The unlike words of both sets. */
#ifdef __thumb__
#define REFUSED(name, a32, t32) REFUSE(name, t32)
#else
#define REFUSED(name, a32, t32) REFUSE(name, a32)
#endif
#define REFUSE(name, insn)						\
	FUNC(name)							\
	W(nop);								\
	.inst insn;							\
	bx	lr;							\
	END(name)

	REFUSED(t_ud2, 0xe7f000f0, 0xf7f0a001)		/* udf */
	REFUSED(t_int3, 0xe7f001f0, 0xf7f0a000)		/* udf: a breakpoint */
	REFUSED(t_intn, 0xe1200070, 0xbe00)		/* bkpt #0 */
	REFUSED(t_iretq, 0xf8900a00, 0xe990c000)	/* rfeia r0 */
	REFUSED(t_hlt, 0xe1000070, 0xba80)		/* hlt #0 */
	REFUSED(t_vmcall, 0xe1400070, 0xf7e08000)	/* hvc #0 */
	REFUSED(t_mwait, 0xe1600070, 0xf7f08000)	/* smc #0 */
	REFUSED(t_badop, UNKNOWN, UNKNOWN)
	REFUSED(t_reserve, 0xe1901f9f, 0xe8501f00)	/* ldrex r1, [r0] */
	REFUSED(t_cli, 0xf10c0080, 0xb672)		/* cpsid i */
	REFUSED(t_spsr, 0xe14f0000, 0xf3ff8000)		/* mrs r0, spsr */

	.section .note.GNU-stack, "", %progbits
