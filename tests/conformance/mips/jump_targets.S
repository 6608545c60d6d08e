/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jump_targets.S - functions with branches all around the probed instruction.
 *
 * Owns: what optimize.c probes; harness.h describes each.
 */
#include "functions.h"

FUNC(t_sum)
	li	$2, 0
1:	ADD	$2, $2, $4
	ADDI	$4, $4, -1
	bnez	$4, 1b
	nop
	back
END(t_sum)

FUNC(t_called)
	move	$8, $31
	b	3f
	nop
1:	nop
2:	ADDI	$4, $4, 1
	ADD	$4, $4, $4
	back
3:	bal	1b
	nop
	bal	2b
	nop
	jr	$8
	move	$2, $4
END(t_called)

FUNC(t_indirect)
	move	$8, $31
	bal	1f
	nop
1:	ADDI	$9, $31, 16
	jr	$9
	nop
	nop
	ADDI	$2, $4, 7
	jr	$8
	nop
END(t_indirect)

FUNC(t_junk)
	nop
	ADDI	$2, $4, 9
	back
	.word	0x04040000, 0x04040000
END(t_junk)

FUNC(t_relative)
	move	$8, $31
	bal	2f
	nop
#ifdef KP_ABSOLUTE
2:	address	$2, t_data
#else
1:	.word	t_data - 1b
2:	lw	$2, 0($31)
	ADD	$2, $2, $31
#endif
	jr	$8
	LOAD	$2, 0($2)
END(t_relative)

FUNC(t_short)
	li	$2, 0
	back
END(t_short)
	.globl t_behind
	.type t_behind, @function
t_behind:
	li	$2, 7
	back
END(t_behind)

FUNC(t_deep)
	ADDI	$29, $29, -FRAME
	nop
	STORE	$31, AT_RA($29)
	move	$25, $4
	jalr	$25
	nop
	ADDI	$2, $2, 7
	LOAD	$31, AT_RA($29)
	jr	$31
	ADDI	$29, $29, FRAME
END(t_deep)

FUNC(t_wide)
	ADDI	$8, $0, 5
	ADD	$2, $4, $8
	back
END(t_wide)

	.section .note.GNU-stack, "", @progbits
