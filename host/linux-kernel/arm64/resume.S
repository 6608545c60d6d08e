/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * resume.S - going on with all registers, the stack pointer among them.
 *
 * Owns: an exception return of our own.
 */
	.section .text.kp_trap, "ax", %progbits

/*
 * Returned to by the kernel with everything masked, and the registers to go on with at
 * x0: a struct user_pt_regs.  trap.c asserts the offsets.
 */
	.p2align 4
	.globl kp_kernel_go_on
	.type kp_kernel_go_on, %function
kp_kernel_go_on:
	ldp	x1, x2, [x0, #256]		/* pc, pstate */
	msr	elr_el1, x1
	msr	spsr_el1, x2
	ldp	x30, x1, [x0, #240]
	mov	sp, x1
	ldp	x2, x3, [x0, #16]
	ldp	x4, x5, [x0, #32]
	ldp	x6, x7, [x0, #48]
	ldp	x8, x9, [x0, #64]
	ldp	x10, x11, [x0, #80]
	ldp	x12, x13, [x0, #96]
	ldp	x14, x15, [x0, #112]
	ldp	x16, x17, [x0, #128]
	ldp	x18, x19, [x0, #144]
	ldp	x20, x21, [x0, #160]
	ldp	x22, x23, [x0, #176]
	ldp	x24, x25, [x0, #192]
	ldp	x26, x27, [x0, #208]
	ldp	x28, x29, [x0, #224]
	ldp	x0, x1, [x0]
	eret
	/* Nothing is to be guessed behind it. */
	dsb	nsh
	isb
	.size kp_kernel_go_on, . - kp_kernel_go_on

	.section .note.GNU-stack, "", %progbits
