/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kt_regs.h - the registers of arm as programs number them, and what C and Linux put
 * into them.
 *
 * Owns: the numbers, which are places in struct pt_regs, in words; each processor's
 * folder has this file.
 */
#ifndef KT_REGS_H
#define KT_REGS_H

/* r0 to r10 are 0 to 10. */
enum names_reg { REG_R7 = 7, REG_FP = 11, REG_IP, REG_SP, REG_LR, REG_PC, REG_CPSR };

/* As reg() has them. */
#define KT_REG_NAMES { \
	"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "fp", "ip", \
	"sp", "lr", "pc", "cpsr" }
#define KT_REG_NAMES_SAID "r0 to r10, fp, ip, sp, lr, pc and cpsr"

/* What a watched access puts there: see KT_WATCH_REGS_NAMES. */
#define KT_WATCH_REGS { 0, 1, 2, 3, 4, 5 }

/*
 * DWARF's numbers, from 0 on; those of the frame's and the stack's pointer, and of the
 * return address.  Frames of Thumb, the usual set, are pointed to by r7.
 */
#define KT_DWARF_REGS { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 }
#define KT_DWARF_BP 7
#define KT_DWARF_SP 13
#define KT_DWARF_IP 14
/* A return address may still be in its register. */
#define KT_RETURN_SAVED 0

/* A word has so many bytes. */
#define KT_WORD 4
/* No parameter is in a register: not so. */
#define KT_ARGS_ON_STACK 0
/* Integer parameters as a function begins: in these, then from there on the stack. */
#define KT_ARG_REGS { 0, 1, 2, 3 }
#define KT_ARG_REGS_NR 4
#define KT_ARG_STACK 0
/* What is returned, if it is a larger structure, has a first parameter. */
#define KT_RETURNED_BY_ARG 1
#define KT_RETURNED_MOST 4
#define KT_HALVES_APART 1
/* What has several words lies in registers side by side, one of 64 bits from an even one on. */
#define KT_ARGS_IN_PAIRS 1
/* By eight bytes, each where its parts say; a long double is in memory; fractions alone in vectors. */
#define KT_EIGHTBYTES 0
#define KT_X87 0
#define KT_IN_SHAPE 1
#define KT_FRACTIONS_IN_PLACE 0

/*
 * A system call's parameters, and where the kernel keeps them in its struct pt_regs; the
 * same of its number.
 */
#define KT_CALL_PLACES { { 0, 68 }, { 1, 4 }, { 2, 8 }, { 3, 12 }, { 4, 16 }, { 5, 20 } }
#define KT_CALL_NUMBER REG_R7
#define KT_CALL_NUMBER_OFFSET 28

#endif
