/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kt_regs.h - the registers of arm64 as programs number them, and what C and Linux put
 * into them.
 *
 * Owns: the numbers, which are places in struct pt_regs, in words; each processor's
 * folder has this file.
 */
#ifndef KT_REGS_H
#define KT_REGS_H

/* x0 to x30 are 0 to 30. */
enum names_reg { REG_X0, REG_X8 = 8, REG_X29 = 29, REG_X30, REG_SP, REG_PC, REG_PSTATE };

/* As reg() has them. */
#define KT_REG_NAMES { \
	"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", \
	"x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", \
	"x25", "x26", "x27", "x28", "x29", "x30", "sp", "pc", "pstate" }
#define KT_REG_NAMES_SAID "x0 to x30, sp, pc and pstate"

/* What a watched access puts there: see KT_WATCH_REGS_NAMES. */
#define KT_WATCH_REGS { 0, 1, 2, 3, 4, 5 }

/* DWARF's numbers, from 0 on; those of the frame's and the stack's pointer, and of the
 * return address. */
#define KT_DWARF_REGS { \
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, \
	23, 24, 25, 26, 27, 28, 29, 30, 31 }
#define KT_DWARF_BP 29
#define KT_DWARF_SP 31
#define KT_DWARF_IP 30
/* A return address may still be in its register. */
#define KT_RETURN_SAVED 0

/* A word has so many bytes. */
#define KT_WORD 8
/* No parameter is in a register: not so. */
#define KT_ARGS_ON_STACK 0
/* Integer parameters as a function begins: in these, then from there on the stack. */
#define KT_ARG_REGS { 0, 1, 2, 3, 4, 5, 6, 7 }
#define KT_ARG_REGS_NR 8
#define KT_ARG_STACK 0
#define KT_RETURNED_BY_ARG 0
#define KT_RETURNED_MOST 16
/* A small one goes into vector registers, or all of it into others. */
#define KT_HALVES_APART 0
#define KT_ARGS_IN_PAIRS 0
/* By eight bytes, each where its parts say; a long double is in memory; fractions alone in vectors. */
#define KT_EIGHTBYTES 0
#define KT_X87 0
#define KT_IN_SHAPE 1
#define KT_FRACTIONS_IN_PLACE 0

/*
 * A system call's parameters, and where the kernel keeps them in its struct pt_regs; the
 * same of its number.
 */
#define KT_CALL_PLACES { { 0, 0 }, { 1, 8 }, { 2, 16 }, { 3, 24 }, { 4, 32 }, { 5, 40 } }
#define KT_CALL_NUMBER REG_X8
#define KT_CALL_NUMBER_OFFSET 64

#endif
