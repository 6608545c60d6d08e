/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jump_targets.S - functions with branches all around the probed instruction.
 *
 * Owns: what optimize.c probes; harness.h describes each.
 */
#include "functions.h"

FUNC(t_sum)
	c.li	a1, 0
1:	c.add	a1, a0
	c.addi	a0, -1
	c.bnez	a0, 1b
	c.mv	a0, a1
	c.jr	ra
END(t_sum)

FUNC(t_called)
	c.addi	sp, -16
	c.sdsp	ra, 8(sp)
	c.j	3f
1:	c.nop
2:	whole	addi a1, a0, 1
	whole	add a0, a1, a1
	c.jr	ra
3:	whole	jal ra, 1b
	whole	jal ra, 2b
	c.ldsp	ra, 8(sp)
	c.addi	sp, 16
	c.jr	ra
END(t_called)

FUNC(t_indirect)
	lla	t1, 1f
	c.jr	t1
	c.nop
1:	c.addi	a0, 7
	c.jr	ra
END(t_indirect)

FUNC(t_junk)
	c.nop
	c.addi	a0, 9
	c.jr	ra
	.hword	0x007f, 0x007f
END(t_junk)

FUNC(t_relative)
2:	auipc	a0, %pcrel_hi(t_data)
	whole	ld a0, %pcrel_lo(2b)(a0)
	c.jr	ra
END(t_relative)

FUNC(t_short)
	c.li	a0, 0
	c.jr	ra
END(t_short)
	.globl t_behind
	.type t_behind, %function
t_behind:
	c.li	a0, 7
	c.jr	ra
END(t_behind)

FUNC(t_deep)
	whole	addi sp, sp, -16
	c.nop
	c.sdsp	ra, 8(sp)
	c.jalr	a0
	c.addi	a0, 7
	c.ldsp	ra, 8(sp)
	c.addi	sp, 16
	c.jr	ra
END(t_deep)

FUNC(t_wide)
	whole	addi a1, zero, 5
	c.add	a0, a1
	c.jr	ra
END(t_wide)

	.section .note.GNU-stack, "", %progbits
