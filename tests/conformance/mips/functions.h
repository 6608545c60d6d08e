/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * functions.h - how the functions that are probed begin and end, and words' instructions.
 *
 * Owns: FUNC and END; what is a word's, of 32 or 64 bits.  Each instruction stands where it
 * is written: what is in a delay slot, too.
 */
#ifndef KP_CONFORMANCE_FUNCTIONS_H
#define KP_CONFORMANCE_FUNCTIONS_H

#ifdef __mips64
#define LONG	8
#define WORD	.dword
#define LOAD	ld
#define STORE	sd
#define ADD	daddu
#define ADDI	daddiu
#define SUB	dsubu
#define MULT	dmult
#else
#define LONG	4
#define WORD	.word
#define LOAD	lw
#define STORE	sw
#define ADD	addu
#define ADDI	addiu
#define SUB	subu
#define MULT	mult
#endif

/* Of the stack, with room for what a called function wants there. */
#define FRAME	32
#define AT_RA	24
#define AT_S0	16

	.set	noreorder
	.set	noat

#define FUNC(name)							\
	.p2align 4;							\
	.globl name;							\
	.type name, @function;						\
name:
#define END(name) .size name, . - name

/* reg = name, by way of $31; modules are relocated by absolute addresses alone. */
.macro	address reg, name
#ifdef KP_ABSOLUTE
#ifdef __mips64
	dla	\reg, \name
#else
	la	\reg, \name
#endif
#else
	bal	2f
	nop
1:	.word	\name - 1b
2:	lw	\reg, 0($31)
	ADD	\reg, \reg, $31
#endif
.endm

.macro	back
	jr	$31
	nop
.endm

	.text

#endif
