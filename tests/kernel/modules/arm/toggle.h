/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * toggle.h - the code that kp_toggle.c probes, on arm.
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
#define REST_AT	60
#define BRANCH	80
#define BRANCH_AT 84
#define TOGGLE_CODE							\
	"100:	add ip, r0, #3\n"					\
	"	mov r0, ip\n"						\
	"	bx lr\n"						\
	"	.balign 16\n"						\
	"	mov r3, r0\n"						\
	"101:	add ip, r3, #3\n"					\
	"	mov r0, ip\n"						\
	"	bx lr\n"						\
	"	.balign 16\n"						\
	"	mov r3, r0\n"						\
	"	b 101b\n"						\
	"	.balign 16\n"						\
	"	push {r4, lr}\n"					\
	"	mov r4, r0\n"						\
	"	blx r1\n"						\
	"	mov r2, r4\n"						\
	"	pop {r4, pc}\n"						\
	"	.balign 16\n"						\
	"	cmp r0, #0\n"						\
	"	beq 102f\n"						\
	"	add r0, r0, #3\n"					\
	"	bx lr\n"						\
	"102:	mov r0, #0\n"						\
	"	bx lr\n"						\
	"	.org 100b + " __stringify(COPY_LEN) "\n"

/* In r0, which no probed instruction changes, and across the call in r4. */
#define TOGGLE_TASK(regs, rests) (regs)->uregs[(rests) ? 4 : 0]
#define TOGGLE_IS_BREAKPOINT(insn) ((insn) == 0xe7f001f0)

#endif
