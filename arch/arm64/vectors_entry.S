/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * vectors_entry.S - keeping the vector registers around handlers.
 *
 * Owns: where and how they are saved below a frame (frame_asm.h), for the entries of
 * hits through jumps; and the same around any call.  vectors.c says what there is to
 * save.  Without KP_VECTORS nobody has to keep any, and only the call is left.
 *
 * Where registers are longer than 16 bytes (SVE) all of them is saved: a handler that
 * writes the low part of one clears the rest, and the probed code, which has made no
 * call, counts on it.  In streaming mode (SME) handlers would find instructions
 * missing: it is left for as long as they run.  The array ZA is nobody's but those who
 * ask for it: no handler changes it by being compiled.
 *
 * The image, from the stack pointer on:
 *   0    struct kp_arch_vectors: where q0 to q31 are; keep
 *   16   FPSR, FPCR
 *   24   bytes of a long register, plus 1 in streaming mode; 0: there are none
 *   32   q0 to q31; not with long registers, but for jprobes
 *   544  z0 to z31, p0 to p15, the first-fault register
 */
#include "env_asm.h"
#include "frame_asm.h"

#define KEEP_IMAGE	4	/* enum kp_arch_keep; vectors.c asserts it */
#define IMAGE_KEEP	8
#define IMAGE_STATUS	16
#define IMAGE_LONG	24
#define IMAGE_Q		32
#define IMAGE_Z		544
#define LONG_LEN	35	/* times the register's length: 32 + 2 + 1/8, and more */
#define FFR_AT		16	/* behind the others of its length */
#define STREAMING	1

#define KEEPING_IMAGE	32	/* in kp_arch_keeping's frame */
#define KEEPING_LEN	48

	.arch	armv8.2-a+sve
	.section .text.kp_trap, "ax", %progbits

	.globl kp_arch_vectors_begin
	.hidden kp_arch_vectors_begin
kp_arch_vectors_begin:

#if KP_VECTORS
/* Image at x9. */
.macro	each_q what
	\what	q0, q1, [x9, #IMAGE_Q + 16 * 0]
	\what	q2, q3, [x9, #IMAGE_Q + 16 * 2]
	\what	q4, q5, [x9, #IMAGE_Q + 16 * 4]
	\what	q6, q7, [x9, #IMAGE_Q + 16 * 6]
	\what	q8, q9, [x9, #IMAGE_Q + 16 * 8]
	\what	q10, q11, [x9, #IMAGE_Q + 16 * 10]
	\what	q12, q13, [x9, #IMAGE_Q + 16 * 12]
	\what	q14, q15, [x9, #IMAGE_Q + 16 * 14]
	\what	q16, q17, [x9, #IMAGE_Q + 16 * 16]
	\what	q18, q19, [x9, #IMAGE_Q + 16 * 18]
	\what	q20, q21, [x9, #IMAGE_Q + 16 * 20]
	\what	q22, q23, [x9, #IMAGE_Q + 16 * 22]
	\what	q24, q25, [x9, #IMAGE_Q + 16 * 24]
	\what	q26, q27, [x9, #IMAGE_Q + 16 * 26]
	\what	q28, q29, [x9, #IMAGE_Q + 16 * 28]
	\what	q30, q31, [x9, #IMAGE_Q + 16 * 30]
.endm

/* z at x10, p at x11. */
.macro	each_long what
	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	\what	z\n, [x10, #\n, mul vl]
	.endr
.endm
.macro	each_predicate what
	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
	\what	p\n, [x11, #\n, mul vl]
	.endr
.endm

/*
 * Called with the frame at x19 and the site's wish in w0: all that follows happens below
 * the caller's stack pointer.  Leaves the image there, its address in x2 and in the
 * frame, and the unit as a function expects it.  x1, x3 and x4 stay.
 */
	.globl kp_arch_save_image
	.hidden kp_arch_save_image
	.type kp_arch_save_image, %function
kp_arch_save_image:
	KP_CFI(.cfi_startproc)
	/* Who called has its own frame by x19 or x29. */
	KP_CFI(.cfi_def_cfa x29, 0)
	adrp	x9, kp_arch_vectors_long
	ldr	w10, [x9, #:lo12:kp_arch_vectors_long]
	mov	x12, #0
	cbz	w10, 1f
	rdvl	x12, #1
	mov	x13, #LONG_LEN
	msub	x13, x12, x13, xzr
	add	sp, sp, x13
1:	sub	sp, sp, #IMAGE_Z
	mov	x9, sp
	add	x13, x9, #IMAGE_Q
	mov	w14, w0
	stp	x13, x14, [x9]
	mrs	x13, fpsr
	mrs	x14, fpcr
	stp	w13, w14, [x9, #IMAGE_STATUS]
	str	x9, [x19, #FRAME_IMAGE]
	cbz	x12, 2f
	cmp	w0, #KEEP_IMAGE
	b.ne	3f
2:	each_q	stp
	cbz	x12, 5f
3:	add	x10, x9, #IMAGE_Z
	addvl	x11, x10, #31
	addvl	x11, x11, #1
	each_long str
	each_predicate str
	adrp	x13, kp_arch_vectors_streams
	ldr	w13, [x13, #:lo12:kp_arch_vectors_streams]
	cbz	w13, 4f
	mrs	x13, S3_3_C4_C2_2		/* SVCR */
	tbz	x13, #0, 4f
	add	x12, x12, #STREAMING
	.inst	0xd503427f			/* smstop sm */
	b	5f
4:	rdffr	p0.b
	str	p0, [x11, #FFR_AT, mul vl]
5:	str	x12, [x9, #IMAGE_LONG]
	cbz	x14, 6f
	msr	fpcr, xzr
6:	mov	x2, x9
	ret
	KP_CFI(.cfi_endproc)
	.size kp_arch_save_image, . - kp_arch_save_image

/* The image of the frame at x19.  Changes x9 to x14 alone. */
	.globl kp_arch_load_image
	.hidden kp_arch_load_image
	.type kp_arch_load_image, %function
kp_arch_load_image:
	KP_CFI(.cfi_startproc)
	KP_CFI(.cfi_def_cfa x29, 0)
	ldr	x9, [x19, #FRAME_IMAGE]
	ldr	x12, [x9, #IMAGE_LONG]
	cbz	x12, 2f
	tbz	x12, #0, 1f
	.inst	0xd503437f			/* smstart sm */
1:	add	x10, x9, #IMAGE_Z
	addvl	x11, x10, #31
	addvl	x11, x11, #1
	tbnz	x12, #0, 3f
	ldr	p0, [x11, #FFR_AT, mul vl]
	wrffr	p0.b
3:	each_predicate ldr
	each_long ldr
	b	4f
2:	each_q	ldp
4:	ldp	w13, w14, [x9, #IMAGE_STATUS]
	msr	fpsr, x13
	msr	fpcr, x14
	ret
	KP_CFI(.cfi_endproc)
	.size kp_arch_load_image, . - kp_arch_load_image
#endif

/*
 * void kp_arch_keeping(keep w0, fn x1, arg x2): fn(arg).  What the two above see of a
 * frame is its image.
 */
	.p2align 4
	.globl kp_arch_keeping
	.hidden kp_arch_keeping
	.type kp_arch_keeping, %function
kp_arch_keeping:
	KP_CFI(.cfi_startproc)
	stp	x29, x30, [sp, #-KEEPING_LEN]!
	KP_CFI(.cfi_def_cfa_offset KEEPING_LEN)
	KP_CFI(.cfi_offset 29, -KEEPING_LEN)
	KP_CFI(.cfi_offset 30, 8 - KEEPING_LEN)
	mov	x29, sp
	KP_CFI(.cfi_def_cfa_register 29)
#if KP_VECTORS
	str	x19, [sp, #16]
	KP_CFI(.cfi_offset 19, 16 - KEEPING_LEN)
	sub	x19, sp, #FRAME_IMAGE - KEEPING_IMAGE
	mov	x3, x1
	mov	x4, x2
	bl	kp_arch_save_image
	mov	x0, x4
	blr	x3
	bl	kp_arch_load_image
	mov	sp, x29
	ldr	x19, [sp, #16]
	KP_CFI(.cfi_restore 19)
#else
	mov	x0, x2
	blr	x1
#endif
	ldp	x29, x30, [sp], #KEEPING_LEN
	KP_CFI(.cfi_def_cfa 31, 0)
	KP_CFI(.cfi_restore 29)
	KP_CFI(.cfi_restore 30)
	ret
	KP_CFI(.cfi_endproc)
	.size kp_arch_keeping, . - kp_arch_keeping

	.globl kp_arch_vectors_end
	.hidden kp_arch_vectors_end
kp_arch_vectors_end:
	udf	#0

	.section .note.GNU-stack, "", %progbits
