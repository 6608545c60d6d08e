/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * asm.h - what the assembly of 32 and of 64 bits has in common.
 *
 * Owns: words, the bytes that a call wants below its caller's stack (ARGUMENTS), and how a
 * function of C is called from anywhere: it wants its own address in $25 (t9).
 *
 * Registers have numbers here, since names differ: $2 v0; $4 a0 and on; $16 s0 and on; $24
 * t8; $28 gp; $29 sp; $30 s8; $31 ra.
 */
#ifndef KP_MIPS_ASM_H
#define KP_MIPS_ASM_H

#ifdef __mips64
#define LONG	8
#define ARGUMENTS 0
#else
#define LONG	4
#define ARGUMENTS 16
#endif

#ifdef __ASSEMBLER__

#ifdef __mips64
#define LOAD	ld
#define STORE	sd
#define ADD	daddu
#define ADDI	daddiu
#else
#define LOAD	lw
#define STORE	sw
#define ADD	addu
#define ADDI	addiu
#endif

	.set	noreorder
	.set	noat

.macro	function name
	.p2align 3
	.globl	\name
	.hidden	\name
	.type	\name, @function
\name:
	KP_CFI(.cfi_startproc)
.endm
.macro	end name
	KP_CFI(.cfi_endproc)
	.size	\name, . - \name
.endm

/* $25 = name, by way of $31, whatever the global pointer is. */
.macro	address name
#ifdef KP_ABSOLUTE
#ifdef __mips64
	dla	$25, \name
#else
	la	$25, \name
#endif
#else
	bal	2f
	nop
1:	.word	\name - 1b
2:	lw	$25, 0($31)
	ADD	$25, $25, $31
#endif
.endm

.macro	call name
	address	\name
	jalr	$25
	nop
.endm

#endif

#endif
