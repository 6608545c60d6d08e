/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kt_regs.h - the registers of MIPS as programs number them, and what C and Linux put into
 * them: n64, and o32, of 32 bits.
 *
 * Owns: the numbers, which are places in struct pt_regs, in words; each processor's
 * folder has this file.  o32's begins with room for arguments, as its callers leave it, in
 * which the kernel keeps a call's from the fifth on.
 */
#ifndef KT_REGS_H
#define KT_REGS_H

#ifndef __mips64
#define KT_REGS_AT 8
#define KT_REGS_AHEAD "", "", "", "", "", "", "", "",
#define KT_REGS_MIDDLE "t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7",
#define KT_REG_NAMES_SAID "v0, v1, a0 to a3, t0 to t9, s0 to s8, gp, sp, ra, hi, lo and pc"
#else
#define KT_REGS_AT 0
#define KT_REGS_AHEAD
#define KT_REGS_MIDDLE "a4", "a5", "a6", "a7", "t0", "t1", "t2", "t3",
#define KT_REG_NAMES_SAID "v0, v1, a0 to a7, t0 to t3, t8, t9, s0 to s8, gp, sp, ra, hi, lo and pc"
#endif

/* Where $n is. */
#define KT_REGS_OF(n) (KT_REGS_AT + (n))

/* $0 to $31 are side by side. */
enum names_reg {
	REG_ZERO = KT_REGS_AT, REG_V0 = KT_REGS_OF(2), REG_A0 = KT_REGS_OF(4), REG_GP = KT_REGS_OF(28), REG_SP, REG_S8, REG_RA, REG_STATUS, REG_HI,
	REG_LO, REG_BADVADDR, REG_CAUSE, REG_PC,
};

/* As reg() has them. */
#define KT_REG_NAMES { \
	KT_REGS_AHEAD "zero", "at", "v0", "v1", "a0", "a1", "a2", "a3", KT_REGS_MIDDLE "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "t8", "t9", "k0", "k1", \
	"gp", "sp", "s8", "ra", "status", "hi", "lo", "badvaddr", "cause", "pc" }

/* What a watched access puts there: see KT_WATCH_REGS_NAMES. */
#define KT_WATCH_REGS { \
	KT_REGS_OF(4), KT_REGS_OF(5), KT_REGS_OF(6), KT_REGS_OF(7), KT_REGS_OF(8), KT_REGS_OF(9) }

/*
 * DWARF's numbers, from 0 on, which is no place of a variable's; those of the frame's and
 * the stack's pointer, and of the return address.
 */
#define KT_DWARF_FOUR(n) KT_REGS_OF(n), KT_REGS_OF(n + 1), KT_REGS_OF(n + 2), KT_REGS_OF(n + 3)
#define KT_DWARF_REGS { \
	KT_DWARF_FOUR(0), KT_DWARF_FOUR(4), KT_DWARF_FOUR(8), KT_DWARF_FOUR(12), KT_DWARF_FOUR(16), \
	KT_DWARF_FOUR(20), KT_DWARF_FOUR(24), KT_DWARF_FOUR(28) }
#define KT_DWARF_BP 30
#define KT_DWARF_SP 29
#define KT_DWARF_IP 31
/* A return address may still be in its register. */
#define KT_RETURN_SAVED 0

/* No parameter is in a register: not so. */
#define KT_ARGS_ON_STACK 0
/* What is returned, if it is a larger structure, has a first parameter. */
#define KT_RETURNED_BY_ARG 1
#define KT_HALVES_APART 1
/* What has several words lies in registers side by side, a number of two from an even one on. */
#define KT_ARGS_IN_PAIRS 1
/* And so does a fraction, whose register for integers is left out. */
/* By eight bytes, each where its parts say; a long double is in memory; fractions alone in vectors. */
#define KT_EIGHTBYTES 0
#define KT_X87 0
#define KT_IN_SHAPE 0
#define KT_FRACTIONS_IN_PLACE 1

/*
 * KT_WORD: bytes of a word.  Integer parameters as a function begins: in these registers, then
 * from there on the stack.  A structure of how many bytes is returned in registers.
 */
#ifndef __mips64
#define KT_WORD 4
#define KT_ARG_REGS { KT_REGS_OF(4), KT_REGS_OF(5), KT_REGS_OF(6), KT_REGS_OF(7) }
#define KT_ARG_REGS_NR 4
#define KT_ARG_STACK 16			/* behind room for those in registers */
#define KT_RETURNED_MOST 0
#else
#define KT_WORD 8
#define KT_ARG_REGS { 4, 5, 6, 7, 8, 9, 10, 11 }
#define KT_ARG_REGS_NR 8
#define KT_ARG_STACK 0
#define KT_RETURNED_MOST 16
#endif

/*
 * A system call's parameters, and where the kernel keeps them in its struct pt_regs; the
 * same of its number.
 */
#ifndef __mips64
#define KT_CALL_PLACES { \
	{ REG_A0, 48 }, { REG_A0 + 1, 52 }, { REG_A0 + 2, 56 }, { REG_A0 + 3, 60 }, { 4, 16 }, { 5, 20 } }
#define KT_CALL_NUMBER_OFFSET 40
#else
#define KT_CALL_PLACES { { 4, 32 }, { 5, 40 }, { 6, 48 }, { 7, 56 }, { 8, 64 }, { 9, 72 } }
#define KT_CALL_NUMBER_OFFSET 16
#endif
#define KT_CALL_NUMBER REG_V0

#endif
