/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * toggle.h - the code that kp_toggle.c probes, on MIPS.
 *
 * Owns: its instructions, where they are, and where they keep the caller's task.  No probe
 * becomes a jump.
 */
#ifndef KP_TEST_TOGGLE_H
#define KP_TEST_TOGGLE_H

#include "targets.h"

#define WIDE	0
#define SPREAD	16			/* the next instruction has a probe of its own */
#define INNER	20
#define MIDDLE	32			/* jumps to INNER */
#define REST	48			/* sleeps with the probed one as return address */
#define REST_AT	72
#define BRANCH	96
#define BRANCH_AT 100
#define TOGGLE_CODE							\
	"	.set push\n"						\
	"	.set noreorder\n"					\
	"100:	" T_ADDI " $2, $4, 3\n"					\
	"	jr $31\n"						\
	"	nop\n"							\
	"	.balign 16\n"						\
	"	move $3, $4\n"						\
	"101:	" T_ADDI " $2, $3, 3\n"					\
	"	jr $31\n"						\
	"	nop\n"							\
	"	.balign 16\n"						\
	"	b 101b\n"						\
	"	move $3, $4\n"						\
	"	.balign 16\n"						\
	"	" T_ADDI " $29, $29, -32\n"				\
	"	" T_STORE " $31, 24($29)\n"				\
	"	" T_STORE " $16, 16($29)\n"				\
	"	move $25, $5\n"						\
	"	jalr $25\n"						\
	"	move $16, $4\n"						\
	"	move $3, $16\n"						\
	"	" T_LOAD " $16, 16($29)\n"				\
	"	" T_LOAD " $31, 24($29)\n"				\
	"	jr $31\n"						\
	"	" T_ADDI " $29, $29, 32\n"				\
	"	.balign 16\n"						\
	"	move $3, $4\n"						\
	"	beqz $3, 102f\n"					\
	"	nop\n"							\
	"	jr $31\n"						\
	"	" T_ADDI " $2, $4, 3\n"					\
	"102:	jr $31\n"						\
	"	li $2, 0\n"						\
	"	.org 100b + " __stringify(COPY_LEN) "\n"		\
	"	.set pop\n"

/* In a0, which no probed instruction changes, and across the call in s0. */
#define TOGGLE_TASK(r, rests) (r)->regs[(rests) ? 16 : 4]
#define TOGGLE_IS_BREAKPOINT(insn) ((insn) == 0x0000000d)
#define TOGGLE_JUMPS 0

#endif
