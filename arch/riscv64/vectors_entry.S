/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * vectors_entry.S - keeping the registers for floating point around handlers.
 *
 * Owns: kp_arch_keeping.  Without KP_VECTORS nobody has to keep any, and only the call is
 * left.  The registers of the V extension no function keeps, nor returns anything in by
 * the standard calling convention: who has just been returned to counts on none.
 */
#include "env_asm.h"

#define KEEP_LEN	272		/* f0 to f31, fcsr */
#define KEEPING_LEN	16

	.section .text.kp_trap, "ax", %progbits

#if KP_VECTORS
.macro	each_float op
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	\op	f\n, 8 * \n(sp)
	.endr
.endm
#endif

/* void kp_arch_keeping(keep a0, fn a1, arg a2): fn(arg) */
	.p2align 2
	.globl kp_arch_keeping
	.hidden kp_arch_keeping
	.type kp_arch_keeping, %function
kp_arch_keeping:
	KP_CFI(.cfi_startproc)
	addi	sp, sp, -KEEPING_LEN
	KP_CFI(.cfi_def_cfa_offset KEEPING_LEN)
	sd	ra, 8(sp)
	KP_CFI(.cfi_offset ra, 8 - KEEPING_LEN)
	mv	a0, a2
#if KP_VECTORS
	addi	sp, sp, -KEEP_LEN
	KP_CFI(.cfi_adjust_cfa_offset KEEP_LEN)
	each_float fsd
	frcsr	t0
	sd	t0, 256(sp)
	/* A handler finds the modes as a function expects them. */
	fscsr	zero
#endif
	jalr	a1
#if KP_VECTORS
	each_float fld
	ld	t0, 256(sp)
	fscsr	t0
	addi	sp, sp, KEEP_LEN
	KP_CFI(.cfi_adjust_cfa_offset -KEEP_LEN)
#endif
	ld	ra, 8(sp)
	KP_CFI(.cfi_restore ra)
	addi	sp, sp, KEEPING_LEN
	KP_CFI(.cfi_def_cfa_offset 0)
	ret
	KP_CFI(.cfi_endproc)
	.size kp_arch_keeping, . - kp_arch_keeping

	.section .note.GNU-stack, "", %progbits
