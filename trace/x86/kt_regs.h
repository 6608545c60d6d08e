/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kt_regs.h - the registers of x86-64 as programs number them, and what C and Linux put
 * into them.
 *
 * Owns: the numbers, which are places in struct pt_regs, in words; each processor's
 * folder has this file.
 */
#ifndef KT_REGS_H
#define KT_REGS_H

enum names_reg {
	REG_R15, REG_R14, REG_R13, REG_R12, REG_BP, REG_BX, REG_R11, REG_R10,
	REG_R9, REG_R8, REG_AX, REG_CX, REG_DX, REG_SI, REG_DI, REG_ORIG_AX,
	REG_IP, REG_CS, REG_FLAGS, REG_SP, REG_SS,
};

/* As reg() has them. */
#define KT_REG_NAMES { \
	"r15", "r14", "r13", "r12", "bp", "bx", "r11", "r10", "r9", "r8", \
	"ax", "cx", "dx", "si", "di", "orig_ax", "ip", "cs", "flags", "sp", "ss" }
#define KT_REG_NAMES_SAID "ax bx cx dx si di bp sp ip flags and r8 to r15"

/* What a watched access puts there: see KT_WATCH_REGS_NAMES. */
#define KT_WATCH_REGS { REG_DI, REG_SI, REG_DX, REG_CX, REG_R8, REG_R9 }

/* DWARF's numbers, from 0 on; those of the frame's and the stack's pointer, and of the
 * return address. */
#define KT_DWARF_REGS { \
	REG_AX, REG_DX, REG_CX, REG_BX, REG_SI, REG_DI, REG_BP, REG_SP, \
	REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_IP }
#define KT_DWARF_BP 6
#define KT_DWARF_SP 7
#define KT_DWARF_IP 16
/* A return address is always saved: in the word below the CFA. */
#define KT_RETURN_SAVED 1

/* A word has so many bytes. */
#define KT_WORD 8
/* No parameter is in a register: not so. */
#define KT_ARGS_ON_STACK 0
/* Integer parameters as a function begins: in these, then from there on the stack. */
#define KT_ARG_REGS { REG_DI, REG_SI, REG_DX, REG_CX, REG_R8, REG_R9 }
#define KT_ARG_REGS_NR 6
#define KT_ARG_STACK 8
/* A large structure that is returned has a first parameter. */
#define KT_RETURNED_BY_ARG 1
#define KT_RETURNED_MOST 16
/* Halves of a small one go where their type says, one by one. */
#define KT_HALVES_APART 1
#define KT_ARGS_IN_PAIRS 0
/* By eight bytes, each where its parts say; a long double is in memory; fractions alone in vectors. */
#define KT_EIGHTBYTES 1
#define KT_X87 1
#define KT_IN_SHAPE 0
#define KT_FRACTIONS_IN_PLACE 0

/*
 * A system call's parameters, and where the kernel keeps them in its struct pt_regs; the
 * same of its number.
 */
#define KT_CALL_PLACES { \
	{ REG_DI, 112 }, { REG_SI, 104 }, { REG_DX, 96 }, { REG_R10, 56 }, \
	{ REG_R8, 72 }, { REG_R9, 64 } }
#define KT_CALL_NUMBER REG_AX
#define KT_CALL_NUMBER_OFFSET 120

#endif
