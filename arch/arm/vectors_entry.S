/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * vectors_entry.S - registers for floating point and vectors around handlers.
 *
 * Owns: kp_arch_keeping.  All are kept, whatever is asked for: d0 to d15, and as many again
 * where kp_arch_vectors_wide says so; and FPSCR.  The handler begins with that as a program
 * does: round to nearest, no flags.
 */
	.syntax unified
	.arm
	.arch	armv7-a
	.fpu	neon
	.section .text.kp_trap, "ax", %progbits

#define BANK	128			/* bytes of 16 registers */
#define FRAME	(2 * BANK + 8)
#define FPSCR	(2 * BANK)

/* void kp_arch_keeping(keep r0, fn r1, arg r2) */
	.p2align 2
	.globl kp_arch_keeping
	.hidden kp_arch_keeping
	.type kp_arch_keeping, %function
kp_arch_keeping:
	.fnstart
	.save	{r4, r5, r6, lr}
	push	{r4, r5, r6, lr}
	.pad	#FRAME
	sub	sp, sp, #FRAME
	ldr	r6, 2f
1:	ldr	r6, [pc, r6]
	vmrs	ip, fpscr
	str	ip, [sp, #FPSCR]
	mov	r5, sp
	vstm	r5!, {d0-d15}
	cmp	r6, #0
	vstmne	r5, {d16-d31}
	mov	ip, #0
	vmsr	fpscr, ip
	mov	r0, r2
	blx	r1
	mov	r5, sp
	vldm	r5!, {d0-d15}
	cmp	r6, #0
	vldmne	r5, {d16-d31}
	ldr	ip, [sp, #FPSCR]
	vmsr	fpscr, ip
	add	sp, sp, #FRAME
	pop	{r4, r5, r6, pc}
2:	.word	kp_arch_vectors_wide - (1b + 8)
	.fnend
	.size kp_arch_keeping, . - kp_arch_keeping

/* uint32_t, written once: are there d16 to d31? */
	.bss
	.p2align 2
	.globl kp_arch_vectors_wide
	.hidden kp_arch_vectors_wide
	.type kp_arch_vectors_wide, %object
kp_arch_vectors_wide:
	.skip	4
	.size kp_arch_vectors_wide, 4

	.section .note.GNU-stack, "", %progbits
