/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * vectors_entry.S - registers for floating point and vectors around handlers.
 *
 * Owns: kp_arch_keeping, and the image of a hit through a jump.  All are kept, whatever is
 * asked for: d0 to d15, and as many again
 * where kp_arch_vectors_wide says so; and FPSCR.  The handler begins with that as a program
 * does: round to nearest, no flags.  Without KP_VECTORS nobody has to keep any, and only the
 * call is left.
 */
#include "env_asm.h"
#include "frame_asm.h"

	.syntax unified
	.arm
	.arch	armv7-a
	.fpu	neon
	.section .text.kp_trap, "ax", %progbits

#define BANK	128			/* bytes of 16 registers */
#define FRAME	(2 * BANK + 8)
#define FPSCR	(2 * BANK)

	.globl kp_arch_vectors_begin
	.hidden kp_arch_vectors_begin
kp_arch_vectors_begin:

#if KP_VECTORS
#define IMAGE_D		8		/* behind a struct kp_arch_vectors */
#define IMAGE_LEN	(IMAGE_D + 2 * BANK + 8)

/*
 * An image below sp of all of them, for the frame at r4, as r0 wants them kept: r2 becomes its
 * struct kp_arch_vectors.  Changes r1, r3 and ip besides.
 */
	.p2align 2
	.globl kp_arch_save_image
	.hidden kp_arch_save_image
	.type kp_arch_save_image, %function
kp_arch_save_image:
	.fnstart
	.cantunwind
	sub	ip, sp, #256
	sub	sp, ip, #(IMAGE_LEN - 256)
	str	sp, [r4, #FRAME_IMAGE]
	add	r2, sp, #IMAGE_D
	str	r2, [sp]
	str	r0, [sp, #4]
	ldr	r3, 2f
1:	ldr	r3, [pc, r3]
	vmrs	r1, fpscr
	str	r1, [sp, #(IMAGE_D + 2 * BANK)]
	vstm	r2!, {d0-d15}
	cmp	r3, #0
	vstmne	r2, {d16-d31}
	mov	r1, #0
	vmsr	fpscr, r1
	mov	r2, sp
	bx	lr
2:	.word	kp_arch_vectors_wide - (1b + 8)
	.fnend
	.size kp_arch_save_image, . - kp_arch_save_image

/* The image of the frame at r4.  Changes r1 to r3. */
	.globl kp_arch_load_image
	.hidden kp_arch_load_image
	.type kp_arch_load_image, %function
kp_arch_load_image:
	.fnstart
	.cantunwind
	ldr	r2, [r4, #FRAME_IMAGE]
	ldr	r3, 2f
1:	ldr	r3, [pc, r3]
	ldr	r1, [r2, #(IMAGE_D + 2 * BANK)]
	vmsr	fpscr, r1
	add	r2, r2, #IMAGE_D
	vldm	r2!, {d0-d15}
	cmp	r3, #0
	vldmne	r2, {d16-d31}
	bx	lr
2:	.word	kp_arch_vectors_wide - (1b + 8)
	.fnend
	.size kp_arch_load_image, . - kp_arch_load_image
#endif

/* void kp_arch_keeping(keep r0, fn r1, arg r2) */
	.p2align 2
	.globl kp_arch_keeping
	.hidden kp_arch_keeping
	.type kp_arch_keeping, %function
kp_arch_keeping:
	.fnstart
#if KP_VECTORS
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
#else
	mov	r0, r2
	bx	r1
#endif
	.fnend
	.size kp_arch_keeping, . - kp_arch_keeping

	.globl kp_arch_vectors_end
	.hidden kp_arch_vectors_end
kp_arch_vectors_end:

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
