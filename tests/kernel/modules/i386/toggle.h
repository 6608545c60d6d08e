/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * toggle.h - the code that kp_toggle.c probes, on i386.
 *
 * Owns: its instructions, where they are, and where they keep the caller's task.
 */
#ifndef KP_TEST_TOGGLE_H
#define KP_TEST_TOGGLE_H

#include <asm/nospec-branch.h>

#define WIDE	0			/* longer than a jump */
#define SPREAD	16			/* the next instruction is under the jump */
#define INNER	19
#define MIDDLE	32			/* jumps to INNER */
#define REST	48			/* sleeps with the jump as return address */
#define REST_AT	53
#define BRANCH	64
#define BRANCH_AT 66
#define TOGGLE_CODE							\
	"100:	{disp32} lea 3(%eax), %ecx\n"				\
	"	mov %ecx, %eax\n"					\
	"	" ASM_RET						\
	"	.balign 16, 0x90\n"					\
	"	{disp8} lea 0(%ecx), %ecx\n"				\
	"101:	lea 3(%eax), %ecx\n"					\
	"	mov %ecx, %eax\n"					\
	"	" ASM_RET						\
	"	.balign 16, 0x90\n"					\
	"	mov %eax, %eax\n"					\
	"	jmp 101b\n"						\
	"	.balign 16, 0x90\n"					\
	"	push %ebx\n"						\
	"	mov %eax, %ebx\n"					\
	"	" ANNOTATE_RETPOLINE_SAFE "\n"				\
	"	call *%edx\n"						\
	"	mov %ebx, %edx\n"					\
	"	{disp8} lea 0(%edx), %edx\n"				\
	"	pop %ebx\n"						\
	"	" ASM_RET						\
	"	.balign 16, 0x90\n"					\
	"	test %eax, %eax\n"					\
	"	jz 102f\n"						\
	"	lea 3(%eax), %ecx\n"					\
	"	mov %ecx, %eax\n"					\
	"	" ASM_RET						\
	"102:	xor %eax, %eax\n"					\
	"	" ASM_RET						\
	"	.org 100b + " __stringify(COPY_LEN) ", 0x90\n"

/* In eax, which no probed instruction changes, and across the call in ebx. */
#define TOGGLE_TASK(regs, rests) ((rests) ? (regs)->bx : (regs)->ax)
#define TOGGLE_IS_BREAKPOINT(insn) ((insn) == 0xcc)

#endif
