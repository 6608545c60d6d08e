/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * toggle.h - the code that kp_toggle.c probes, on x86.
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
#define REST_AT	54
#define BRANCH	64
#define BRANCH_AT 67
#define TOGGLE_CODE							\
	"100:	.byte 0x48, 0x8d, 0x87, 3, 0, 0, 0\n"	/* lea 3(%rdi), %rax */ \
	"	" ASM_RET						\
	"	.balign 16, 0x90\n"					\
	"	mov %rdi, %rax\n"					\
	"101:	add $3, %rax\n"						\
	"	" ASM_RET						\
	"	.balign 16, 0x90\n"					\
	"	mov %rdi, %rax\n"					\
	"	jmp 101b\n"						\
	"	.balign 16, 0x90\n"					\
	"	push %rbx\n"						\
	"	mov %rdi, %rbx\n"					\
	"	" ANNOTATE_RETPOLINE_SAFE "\n"				\
	"	call *%rsi\n"						\
	"	mov %rbx, %rdx\n"					\
	"	pop %rbx\n"						\
	"	" ASM_RET						\
	"	.balign 16, 0x90\n"					\
	"	test %rdi, %rdi\n"					\
	"	jz 102f\n"						\
	"	lea 3(%rdi), %rax\n"					\
	"	" ASM_RET						\
	"102:	xor %eax, %eax\n"					\
	"	" ASM_RET						\
	"	.org 100b + " __stringify(COPY_LEN) ", 0x90\n"

/* In rdi, and across the call in rbx. */
#define TOGGLE_TASK(regs, rests) ((rests) ? (regs)->bx : (regs)->di)
#define TOGGLE_IS_BREAKPOINT(insn) ((insn) == 0xcc)

#endif
