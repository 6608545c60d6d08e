/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kt_regs.h - the registers of i386 as programs number them, and what C and Linux put
 * into them.
 *
 * Owns: the numbers, which are places in struct pt_regs, in words.
 */
#ifndef KT_REGS_H
#define KT_REGS_H

enum names_reg {
	REG_BX, REG_CX, REG_DX, REG_SI, REG_DI, REG_BP, REG_AX, REG_DS, REG_ES, REG_FS,
	REG_GS, REG_ORIG_AX, REG_IP, REG_CS, REG_FLAGS, REG_SP, REG_SS,
};

/* As reg() has them. */
#define KT_REG_NAMES { \
	"bx", "cx", "dx", "si", "di", "bp", "ax", "ds", "es", "fs", "gs", "orig_ax", "ip", \
	"cs", "flags", "sp", "ss" }
#define KT_REG_NAMES_SAID "ax bx cx dx si di bp sp ip and flags"

/* What a watched access puts there: see KT_WATCH_REGS_NAMES. */
#define KT_WATCH_REGS { REG_BX, REG_CX, REG_DX, REG_SI, REG_DI, REG_BP }

/* DWARF's numbers, from 0 on; those of the frame's and the stack's pointer, and of the
 * return address. */
#define KT_DWARF_REGS { \
	REG_AX, REG_CX, REG_DX, REG_BX, REG_SP, REG_BP, REG_SI, REG_DI, REG_IP }
#define KT_DWARF_BP 5
#define KT_DWARF_SP 4
#define KT_DWARF_IP 8
/* A return address is always saved: in the word below the CFA. */
#define KT_RETURN_SAVED 1

/* A word has so many bytes. */
#define KT_WORD 4
/* All parameters of a function are on the stack, from there on as it begins. */
#define KT_ARGS_ON_STACK 1
#define KT_ARG_STACK 4
#define KT_ARG_REGS { REG_SP }
#define KT_ARG_REGS_NR 1		/* none is asked for */
/* What is returned has a first parameter, if it is a structure. */
#define KT_RETURNED_BY_ARG 1
#define KT_RETURNED_MOST 16
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
#define KT_CALL_PLACES { \
	{ REG_BX, 0 }, { REG_CX, 4 }, { REG_DX, 8 }, { REG_SI, 12 }, { REG_DI, 16 }, \
	{ REG_BP, 20 } }
#define KT_CALL_NUMBER REG_AX
#define KT_CALL_NUMBER_OFFSET 44

#endif
