/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * vectors_entry.S - keeping the registers for floating point, and vectors, around handlers.
 *
 * Owns: where and how they are saved below a frame (frame_asm.h), for the entries of hits
 * through jumps; and the same around any call.  the host says whether there are vectors.
 * Without KP_VECTORS nobody has to keep any, and only the call is left.
 *
 * The image, from the stack pointer on:
 *   0    struct kp_arch_vectors: where f0 to f31 are; keep
 *   16   fcsr
 *   24   bytes of all vector registers; 0: there are none
 *   32   f0 to f31
 *   288  vstart, vcsr, vl, vtype
 *   320  v0 to v31
 */
#include "env_asm.h"
#include "frame_asm.h"

#define IMAGE_KEEP	8
#define IMAGE_FCSR	16
#define IMAGE_LONG	24
#define IMAGE_F		32
#define IMAGE_VSTART	288
#define IMAGE_VCSR	296
#define IMAGE_VL	304
#define IMAGE_VTYPE	312
#define IMAGE_V		320

#define KEEPING_IMAGE	0	/* in kp_arch_keeping's frame */
#define KEEPING_LEN	32

	.section .text.kp_trap, "ax", %progbits
	.option	norelax

	.globl kp_arch_vectors_begin
	.hidden kp_arch_vectors_begin
kp_arch_vectors_begin:

#if KP_VECTORS
	.option	push
	.option	arch, +v

.macro	each_float op, base
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	\op	f\n, IMAGE_F + 8 * \n(\base)
	.endr
.endm

/* Eight registers each; what they do begins at vstart, which is 0.  Changes t0, t1. */
.macro	each_eight op, base
	addi	t0, \base, IMAGE_V
	csrr	t1, vlenb
	slli	t1, t1, 3
	.irp	n, 0, 8, 16, 24
	\op	v\n, (t0)
	.if	\n < 24
	add	t0, t0, t1
	.endif
	.endr
.endm

/*
 * Called with the frame at s1 and the site's wish in a0: all that follows happens below the
 * caller's stack pointer.  Leaves the image there, its address in a2 and in the frame, and
 * the modes as a function expects them.  Changes t0 and t1 besides.
 */
	.p2align 2
	.globl kp_arch_save_image
	.hidden kp_arch_save_image
	.type kp_arch_save_image, %function
kp_arch_save_image:
	KP_CFI(.cfi_startproc)
	/* Who called has its own frame by s1 or s0. */
	KP_CFI(.cfi_def_cfa s0, 0)
	lla	t0, kp_arch_vectors_long
	lwu	t1, 0(t0)
	sub	sp, sp, t1
	addi	sp, sp, -IMAGE_V
	addi	t0, sp, IMAGE_F
	sd	t0, 0(sp)
	sd	a0, IMAGE_KEEP(sp)
	frcsr	t0
	sd	t0, IMAGE_FCSR(sp)
	sd	t1, IMAGE_LONG(sp)
	sd	sp, FRAME_IMAGE(s1)
	each_float fsd, sp
	beqz	t1, 1f
	csrr	t0, vstart
	sd	t0, IMAGE_VSTART(sp)
	csrr	t0, vcsr
	sd	t0, IMAGE_VCSR(sp)
	csrr	t0, vl
	sd	t0, IMAGE_VL(sp)
	csrr	t0, vtype
	sd	t0, IMAGE_VTYPE(sp)
	csrw	vstart, zero
	each_eight vs8r.v, sp
1:	fscsr	zero
	mv	a2, sp
	ret
	KP_CFI(.cfi_endproc)
	.size kp_arch_save_image, . - kp_arch_save_image

/* The image of the frame at s1.  Changes t0 to t2 alone. */
	.globl kp_arch_load_image
	.hidden kp_arch_load_image
	.type kp_arch_load_image, %function
kp_arch_load_image:
	KP_CFI(.cfi_startproc)
	KP_CFI(.cfi_def_cfa s0, 0)
	ld	t2, FRAME_IMAGE(s1)
	ld	t0, IMAGE_LONG(t2)
	beqz	t0, 1f
	csrw	vstart, zero
	each_eight vl8re8.v, t2
	ld	t0, IMAGE_VL(t2)
	ld	t1, IMAGE_VTYPE(t2)
	vsetvl	zero, t0, t1
	ld	t0, IMAGE_VCSR(t2)
	csrw	vcsr, t0
	ld	t0, IMAGE_VSTART(t2)
	csrw	vstart, t0
1:	each_float fld, t2
	ld	t0, IMAGE_FCSR(t2)
	fscsr	t0
	ret
	KP_CFI(.cfi_endproc)
	.size kp_arch_load_image, . - kp_arch_load_image
	.option	pop
#endif

/*
 * void kp_arch_keeping(keep a0, fn a1, arg a2): fn(arg).  What the two above see of a frame
 * is its image.
 */
	.p2align 2
	.globl kp_arch_keeping
	.hidden kp_arch_keeping
	.type kp_arch_keeping, %function
kp_arch_keeping:
	KP_CFI(.cfi_startproc)
	addi	sp, sp, -KEEPING_LEN
	KP_CFI(.cfi_def_cfa_offset KEEPING_LEN)
	sd	ra, 24(sp)
	KP_CFI(.cfi_offset ra, 24 - KEEPING_LEN)
#if KP_VECTORS
	sd	s0, 16(sp)
	KP_CFI(.cfi_offset s0, 16 - KEEPING_LEN)
	sd	s1, 8(sp)
	KP_CFI(.cfi_offset s1, 8 - KEEPING_LEN)
	addi	s0, sp, KEEPING_LEN
	KP_CFI(.cfi_def_cfa s0, 0)
	addi	s1, sp, KEEPING_IMAGE - FRAME_IMAGE
	mv	t3, a2
	call	kp_arch_save_image
	mv	a0, t3
	jalr	a1
	call	kp_arch_load_image
	addi	sp, s0, -KEEPING_LEN
	KP_CFI(.cfi_def_cfa sp, KEEPING_LEN)
	ld	s1, 8(sp)
	KP_CFI(.cfi_restore s1)
	ld	s0, 16(sp)
	KP_CFI(.cfi_restore s0)
#else
	mv	a0, a2
	jalr	a1
#endif
	ld	ra, 24(sp)
	KP_CFI(.cfi_restore ra)
	addi	sp, sp, KEEPING_LEN
	KP_CFI(.cfi_def_cfa_offset 0)
	ret
	KP_CFI(.cfi_endproc)
	.size kp_arch_keeping, . - kp_arch_keeping

	.globl kp_arch_vectors_end
	.hidden kp_arch_vectors_end
kp_arch_vectors_end:
	c.unimp

	.section .note.GNU-stack, "", %progbits
