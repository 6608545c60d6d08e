/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * toggle.h - the code that kp_toggle.c probes, on riscv64.
 *
 * Owns: its instructions, where they are, and where they keep the caller's task.
 */
#ifndef KP_TEST_TOGGLE_H
#define KP_TEST_TOGGLE_H

#define WIDE	0			/* all are as long as a jump */
#define SPREAD	16			/* the next instruction has a jump of its own */
#define INNER	20
#define MIDDLE	32			/* jumps to INNER */
#define REST	48			/* sleeps with the jump as return address */
#define REST_AT	68
#define BRANCH	96
#define BRANCH_AT 100
#define TOGGLE_CODE							\
	"	.option push\n"						\
	"	.option norvc\n"					\
	"100:	addi t0, a0, 3\n"					\
	"	mv a0, t0\n"						\
	"	ret\n"							\
	"	.balign 16\n"						\
	"	mv t1, a0\n"						\
	"101:	addi t0, t1, 3\n"					\
	"	mv a0, t0\n"						\
	"	ret\n"							\
	"	.balign 16\n"						\
	"	mv t1, a0\n"						\
	"	j 101b\n"						\
	"	.balign 16\n"						\
	"	addi sp, sp, -16\n"					\
	"	sd ra, 8(sp)\n"						\
	"	sd s1, 0(sp)\n"						\
	"	mv s1, a0\n"						\
	"	jalr a1\n"						\
	"	mv a2, s1\n"						\
	"	ld s1, 0(sp)\n"						\
	"	ld ra, 8(sp)\n"						\
	"	addi sp, sp, 16\n"					\
	"	ret\n"							\
	"	.balign 16\n"						\
	"	mv t0, a0\n"						\
	"	beqz t0, 102f\n"					\
	"	addi a0, a0, 3\n"					\
	"	ret\n"							\
	"102:	li a0, 0\n"						\
	"	ret\n"							\
	"	.org 100b + " __stringify(COPY_LEN) "\n"		\
	"	.option pop\n"

/* In a0, which no probed instruction changes, and across the call in s1. */
#define TOGGLE_TASK(regs, rests) ((rests) ? (regs)->s1 : (regs)->a0)
/* c.ebreak, in the first half. */
#define TOGGLE_IS_BREAKPOINT(insn) (((insn) & 0xffff) == 0x9002)

#endif
