/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * vectors_entry.S - keeping the registers for floating point around handlers.
 *
 * Owns: kp_arch_keeping.  The host says whether there are such registers, by KP_VECTORS.
 * On 32 bits they may be pairs, or 32 of 64 bits: even ones are kept whole and odd ones by
 * their lower halves, which is all of what code for both may use.
 */
#include "env_asm.h"
#include "asm.h"

#define AT_FLOAT(n) (ARGUMENTS + 8 * (n))
#define AT_FCSR	(ARGUMENTS + 256)
#define AT_RA	(ARGUMENTS + 264)
#define FRAME	(ARGUMENTS + 272)

	.section .text.kp_trap, "ax", @progbits

#ifndef __mips64
	.set	oddspreg
#endif

.macro	each_float whole, half
	.irp	n, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
	\whole	$f\n, AT_FLOAT(\n)($29)
	.endr
	.irp	n, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#ifdef __mips64
	\whole	$f\n, AT_FLOAT(\n)($29)
#else
	\half	$f\n, AT_FLOAT(\n)($29)
#endif
	.endr
.endm

/* void kp_arch_keeping(keep, fn, arg): fn(arg), in the usual mode. */
function kp_arch_keeping
	ADDI	$29, $29, -FRAME
	KP_CFI(.cfi_def_cfa_offset FRAME)
	STORE	$31, AT_RA($29)
	KP_CFI(.cfi_offset 31, AT_RA - FRAME)
#if KP_VECTORS
	each_float sdc1, swc1
	cfc1	$2, $31
	sw	$2, AT_FCSR($29)
	sw	$4, AT_FCSR + 4($29)
	beqz	$4, 1f
	nop
	ctc1	$0, $31
1:
#endif
	move	$25, $5
	jalr	$25
	move	$4, $6
#if KP_VECTORS
	lw	$2, AT_FCSR + 4($29)
	beqz	$2, 1f
	lw	$2, AT_FCSR($29)
	each_float ldc1, lwc1
	ctc1	$2, $31
1:
#endif
	LOAD	$31, AT_RA($29)
	KP_CFI(.cfi_restore 31)
	ADDI	$29, $29, FRAME
	KP_CFI(.cfi_def_cfa_offset 0)
	jr	$31
	nop
end kp_arch_keeping

	.section .note.GNU-stack, "", @progbits
