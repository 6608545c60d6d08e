/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kt_regs.h - the registers of riscv64 as programs number them, and what C and Linux put
 * into them.
 *
 * Owns: the numbers, which are places in struct pt_regs, in words; each processor's
 * folder has this file.
 */
#ifndef KT_REGS_H
#define KT_REGS_H

/* x1 to x31 are 1 to 31; in x0's place is the PC. */
enum names_reg { REG_PC, REG_RA, REG_SP, REG_A7 = 17, REG_T6 = 31 };

/* As reg() has them. */
#define KT_REG_NAMES { \
	"pc", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", \
	"a4", "a5", "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", \
	"t3", "t4", "t5", "t6" }
#define KT_REG_NAMES_SAID "pc, ra, sp, gp, tp, t0 to t6, s0 to s11 and a0 to a7"

/* What a watched access puts there: see KT_WATCH_REGS_NAMES. */
#define KT_WATCH_REGS { 10, 11, 12, 13, 14, 15 }

/*
 * DWARF's numbers, from 0 on, which is no place of a variable's; those of the frame's and
 * the stack's pointer, and of the return address.
 */
#define KT_DWARF_REGS { \
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, \
	23, 24, 25, 26, 27, 28, 29, 30, 31 }
#define KT_DWARF_BP 8
#define KT_DWARF_SP 2
#define KT_DWARF_IP 1
/* A return address may still be in its register. */
#define KT_RETURN_SAVED 0

/* A word has so many bytes. */
#define KT_WORD 8
/* No parameter is in a register: not so. */
#define KT_ARGS_ON_STACK 0
/* Integer parameters as a function begins: in these, then from there on the stack. */
#define KT_ARG_REGS { 10, 11, 12, 13, 14, 15, 16, 17 }
#define KT_ARG_REGS_NR 8
#define KT_ARG_STACK 0
/* Where a large structure is to be returned, in a0. */
#define KT_RETURNED_BY_ARG 1
#define KT_RETURNED_MOST 16
/* The first half of a small one may be in the last register, the other on the stack. */
#define KT_HALVES_APART 1
#define KT_ARGS_IN_PAIRS 0
/* By eight bytes, each where its parts say; a long double is in memory; fractions alone in vectors. */
#define KT_EIGHTBYTES 0
#define KT_X87 0
#define KT_IN_SHAPE 0
#define KT_FRACTIONS_IN_PLACE 0

/*
 * A system call's parameters, and where the kernel keeps them in its struct pt_regs; the
 * same of its number.
 */
#define KT_CALL_PLACES \
	{ { 10, 280 }, { 11, 88 }, { 12, 96 }, { 13, 104 }, { 14, 112 }, { 15, 120 } }
#define KT_CALL_NUMBER REG_A7
#define KT_CALL_NUMBER_OFFSET 136

#endif
