/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * toggle.h - the code that kp_toggle.c probes, on arm64.
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
	"100:	add x10, x0, #3\n"					\
	"	mov x0, x10\n"						\
	"	ret\n"							\
	"	.balign 16\n"						\
	"	mov x9, x0\n"						\
	"101:	add x10, x9, #3\n"					\
	"	mov x0, x10\n"						\
	"	ret\n"							\
	"	.balign 16\n"						\
	"	mov x9, x0\n"						\
	"	b 101b\n"						\
	"	.balign 16\n"						\
	"	stp x19, x30, [sp, #-16]!\n"				\
	"	mov x19, x0\n"						\
	"	blr x1\n"						\
	"	mov x2, x19\n"						\
	"	ldp x19, x30, [sp], #16\n"				\
	"	ret\n"							\
	"	.balign 16\n"						\
	"	cmp x0, #0\n"						\
	"	b.eq 102f\n"						\
	"	add x0, x0, #3\n"					\
	"	ret\n"							\
	"102:	mov x0, #0\n"						\
	"	ret\n"							\
	"	.org 100b + " __stringify(COPY_LEN) "\n"

/* In x0, which no probed instruction changes, and across the call in x19. */
#define TOGGLE_TASK(regs, rests) (regs)->regs[(rests) ? 19 : 0]
#define TOGGLE_IS_BREAKPOINT(insn) ((insn) == 0xd42d6e00)

#endif
