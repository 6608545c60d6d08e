/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kt_regs.h - the registers of MIPS as programs number them, and what C (n64) and Linux put
 * into them.
 *
 * Owns: the numbers, which are places in struct pt_regs, in words; each processor's
 * folder has this file.
 */
#ifndef KT_REGS_H
#define KT_REGS_H

/* $0 to $31 are 0 to 31. */
enum names_reg {
	REG_ZERO, REG_V0 = 2, REG_A0 = 4, REG_GP = 28, REG_SP, REG_S8, REG_RA, REG_STATUS, REG_HI,
	REG_LO, REG_BADVADDR, REG_CAUSE, REG_PC,
};

/* As reg() has them. */
#define KT_REG_NAMES { \
	"zero", "at", "v0", "v1", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "t0", "t1", \
	"t2", "t3", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "t8", "t9", "k0", "k1", \
	"gp", "sp", "s8", "ra", "status", "hi", "lo", "badvaddr", "cause", "pc" }
#define KT_REG_NAMES_SAID "v0, v1, a0 to a7, t0 to t3, t8, t9, s0 to s8, gp, sp, ra, hi, lo and pc"

/* What a watched access puts there: see KT_WATCH_REGS_NAMES. */
#define KT_WATCH_REGS { 4, 5, 6, 7, 8, 9 }

/*
 * DWARF's numbers, from 0 on, which is no place of a variable's; those of the frame's and
 * the stack's pointer, and of the return address.
 */
#define KT_DWARF_REGS { \
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, \
	23, 24, 25, 26, 27, 28, 29, 30, 31 }
#define KT_DWARF_BP 30
#define KT_DWARF_SP 29
#define KT_DWARF_IP 31
/* A return address may still be in its register. */
#define KT_RETURN_SAVED 0

/* A word has so many bytes. */
#define KT_WORD 8
/* No parameter is in a register: not so. */
#define KT_ARGS_ON_STACK 0
/* Integer parameters as a function begins: in these, then from there on the stack. */
#define KT_ARG_REGS { 4, 5, 6, 7, 8, 9, 10, 11 }
#define KT_ARG_REGS_NR 8
#define KT_ARG_STACK 0
#define KT_LARGE_BY_ADDRESS 0
/* What is returned, if it is a larger structure, has a first parameter. */
#define KT_RETURNED_BY_ARG 1
#define KT_RETURNED_MOST 16
#define KT_HALVES_APART 1
#define KT_FRACTIONS_ANYWHERE 0
/* What has several words lies in registers side by side, a number of two from an even one on. */
#define KT_ARGS_IN_PAIRS 1
/* And so does a fraction, whose register for integers is left out. */
#define KT_FRACTIONS_IN_PLACE 1

/*
 * A system call's parameters, and where the kernel keeps them in its struct pt_regs; the
 * same of its number.
 */
#define KT_CALL_PLACES { { 4, 32 }, { 5, 40 }, { 6, 48 }, { 7, 56 }, { 8, 64 }, { 9, 72 } }
#define KT_CALL_NUMBER REG_V0
#define KT_CALL_NUMBER_OFFSET 16

#endif
