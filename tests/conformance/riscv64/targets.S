/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * targets.S - functions whose every instruction is known.
 *
 * Owns: what the conformance suite probes.  harness.h describes each.
 */
#include "functions.h"

FUNC(t_add)
	whole	addi sp, sp, -16
	whole	addi t0, sp, 0
	c.add	a0, a1
	c.addi	sp, 16
	c.jr	ra
END(t_add)

FUNC(t_landing)
	.word	0x00000017		/* lpad 0 */
	c.li	a1, 3
	c.add	a0, a1
	c.jr	ra
END(t_landing)

FUNC(t_first)
	c.li	a0, 1
	c.jr	ra
END(t_first)

FUNC(t_after)
	c.li	a0, 2
	c.jr	ra
END(t_after)

FUNC(t_skip)
	c.li	a0, 1
	c.li	a1, 1
	c.add	a0, a1
	c.jr	ra
END(t_skip)

FUNC(t_inner)
	c.nop
	c.addi	a0, 1
	c.jr	ra
END(t_inner)

FUNC(t_inner2)
	c.nop
	c.addi	a0, 1
	c.jr	ra
END(t_inner2)

FUNC(t_load)
	c.ld	a0, 0(a0)
	c.jr	ra
END(t_load)

FUNC(t_poke)
	whole	sd a1, 0(a0)
	c.jr	ra
END(t_poke)

FUNC(t_jump)
	c.beqz	a0, 1f
	c.li	a0, 1
	c.jr	ra
1:	c.li	a0, 2
	c.jr	ra
END(t_jump)

FUNC(t_calls)
	c.addi	sp, -16
	c.sdsp	ra, 8(sp)
	whole	jal ra, t_inner
	c.ldsp	ra, 8(sp)
	c.addi	sp, 16
	c.jr	ra
END(t_calls)

FUNC(t_marked)
	c.nop
	c.addi	a0, 1
	c.jr	ra
END(t_marked)

FUNC(t_unmarked)
	c.nop
	c.addi	a0, 2
	c.jr	ra
END(t_unmarked)

	/* No size, and a clone's name. */
	.p2align 4
	.globl	t_sizeless
	.type	t_sizeless, %function
t_sizeless:
	c.nop
	c.jr	ra

FUNC(t_clone)
	c.nop
	c.jr	ra
END(t_clone)
FUNC(t_clone.part.0)
	c.nop
	c.jr	ra
END(t_clone.part.0)
FUNC(t_unmarked.part.0)
	c.nop
	c.jr	ra
END(t_unmarked.part.0)

FUNC(t_undecodable)
	c.nop
	.hword	0x007f			/* longer than anything that is settled */
	c.nop
	c.jr	ra
END(t_undecodable)

	/* Flags are those of floating point, which is off in a kernel. */
FUNC(t_flags)
#ifdef MODULE
	whole	addi zero, zero, 0
	c.nop
	whole	addi zero, zero, 0
#else
	whole	fsflags a0
	c.nop
	whole	frflags a0
#endif
	c.jr	ra
END(t_flags)

FUNC(t_long)
	whole	addi zero, zero, 0
	c.li	a0, 15
	c.jr	ra
END(t_long)

FUNC(t_fill)
	whole	addi a2, zero, 0x5a
	c.beqz	a1, 2f
1:	whole	sb a2, 0(a0)
	c.addi	a0, 1
	c.addi	a1, -1
	c.bnez	a1, 1b
2:	c.mv	a0, a1
	c.jr	ra
END(t_fill)

FUNC(t_jump_mem)
	c.ld	a1, 0(a0)
	c.jr	a1
END(t_jump_mem)

FUNC(t_trap)
	c.li	a0, 0
	whole	ebreak
	c.li	a0, 8
	c.jr	ra
END(t_trap)

	/* A process cannot step itself here. */
FUNC(t_single_step)
	c.li	a0, 1
	c.addi	a0, 1
	c.nop
	c.jr	ra
END(t_single_step)

#define REFUSED(name, insn)						\
	FUNC(name)							\
	c.nop;								\
	.word insn;							\
	c.jr ra;							\
	END(name)

	REFUSED(t_ud2, 0x00000000)		/* c.unimp */
	REFUSED(t_int3, 0x00100073)		/* ebreak */
	REFUSED(t_intn, 0x00009002)		/* c.ebreak */
	REFUSED(t_iretq, 0x10200073)		/* sret */
	REFUSED(t_hlt, 0x10500073)		/* wfi */
	REFUSED(t_vmcall, 0x30200073)		/* mret */
	REFUSED(t_badop, 0x0000007b)		/* no such instruction */
	REFUSED(t_reserve, 0x1005352f)		/* lr.d a0, (a0) */
	REFUSED(t_mwait, 0x00000073)		/* ecall */
	REFUSED(t_cli, 0x10017073)		/* csrci sstatus, 2 */

	.section .note.GNU-stack, "", %progbits
