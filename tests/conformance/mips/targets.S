/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * targets.S - functions whose every instruction is known.
 *
 * Owns: what the conformance suite probes.  harness.h describes each.
 */
#include "functions.h"

FUNC(t_add)
	ADDI	$29, $29, -16
	ADDI	$8, $29, 0
	ADD	$2, $4, $5
	ADDI	$29, $29, 16
	back
END(t_add)

FUNC(t_landing)
	nop				/* there are no landing pads */
	li	$2, 3
	ADD	$2, $2, $4
	back
END(t_landing)

FUNC(t_first)
	li	$2, 1
	back
END(t_first)

	/* Directly behind it. */
	.globl	t_after
	.type	t_after, @function
t_after:
	li	$2, 2
	back
END(t_after)

FUNC(t_skip)
	li	$2, 1
	li	$3, 1
	ADD	$2, $2, $3
	back
END(t_skip)

FUNC(t_inner)
	nop
	ADDI	$2, $4, 1
	back
END(t_inner)

FUNC(t_inner2)
	nop
	ADDI	$2, $4, 1
	back
END(t_inner2)

FUNC(t_load)
	LOAD	$2, 0($4)
	back
END(t_load)

FUNC(t_poke)
	STORE	$5, 0($4)
	back
END(t_poke)

FUNC(t_jump)
	beqz	$4, 1f
	nop
	li	$2, 1
	back
1:	li	$2, 2
	back
END(t_jump)

FUNC(t_calls)
	ADDI	$29, $29, -FRAME
	STORE	$31, AT_RA($29)
	bal	t_inner
	nop
	LOAD	$31, AT_RA($29)
	jr	$31
	ADDI	$29, $29, FRAME
END(t_calls)

FUNC(t_marked)
	nop
	ADDI	$2, $4, 1
	back
END(t_marked)

FUNC(t_unmarked)
	nop
	ADDI	$2, $4, 2
	back
END(t_unmarked)

	/* No size, and a clone's name. */
	.p2align 4
	.globl	t_sizeless
	.type	t_sizeless, @function
t_sizeless:
	nop
	back

FUNC(t_clone)
	nop
	back
END(t_clone)
FUNC(t_clone.part.0)
	nop
	back
END(t_clone.part.0)
FUNC(t_unmarked.part.0)
	nop
	back
END(t_unmarked.part.0)

FUNC(t_undecodable)
	nop
	.word	0x04040000		/* REGIMM's 4 */
	nop
	back
END(t_undecodable)

	/* Flags are those of floating point, which is off in a kernel. */
FUNC(t_flags)
#ifdef KP_ABSOLUTE
	move	$2, $4
	nop
	nop
#else
	ctc1	$4, $31
	nop
	cfc1	$2, $31
#endif
	jr	$31
	andi	$2, $2, 0x7c
END(t_flags)

FUNC(t_long)
	addiu	$0, $0, 0
	li	$2, 15
	back
END(t_long)

FUNC(t_fill)
	li	$6, 0x5a
	beqz	$5, 2f
	nop
1:	sb	$6, 0($4)
	ADDI	$4, $4, 1
	ADDI	$5, $5, -1
	bnez	$5, 1b
	nop
2:	move	$2, $5
	back
END(t_fill)

FUNC(t_jump_mem)
	LOAD	$25, 0($4)
	jr	$25
	nop
END(t_jump_mem)

FUNC(t_trap)
	li	$2, 0
	break
	li	$2, 8
	back
END(t_trap)

	/* A process cannot step itself here. */
FUNC(t_single_step)
	li	$2, 1
	ADDI	$2, $2, 1
	nop
	back
END(t_single_step)

FUNC(t_delayed)
	jr	$31
	li	$2, 1
END(t_delayed)

#define REFUSED(name, insn)						\
	FUNC(name)							\
	nop;								\
	.word insn;							\
	jr $31;								\
	nop;								\
	END(name)

	REFUSED(t_ud2, 0x7000003f)		/* sdbbp */
	REFUSED(t_int3, 0x0000000d)		/* break */
	REFUSED(t_intn, 0x0007000d)		/* break 7 */
	REFUSED(t_iretq, 0x42000018)		/* eret */
	REFUSED(t_hlt, 0x42000020)		/* wait */
	REFUSED(t_vmcall, 0x4200001f)		/* deret */
	REFUSED(t_badop, 0x04040000)		/* no such instruction */
	REFUSED(t_reserve, 0xc0820000)		/* ll $2, 0($4) */
	REFUSED(t_mwait, 0x0000000c)		/* syscall */
	REFUSED(t_cli, 0x41606000)		/* di */

	.section .note.GNU-stack, "", @progbits
