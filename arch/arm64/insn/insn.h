/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The A64 instruction decoder: a word in, one struct kp_a64_insn out.
 *
 * It owns the knowledge of A64 encodings and nothing else: it reads no memory,
 * keeps no state and is safe in any context.  Invariant: a word that the map does
 * not have is unallocated, never guessed.  What the map has says its head.
 */
#ifndef KP_ARCH_ARM64_INSN_H
#define KP_ARCH_ARM64_INSN_H

#include "env.h"

#define KP_A64_LEN 4		/* of each instruction, in bytes */
#define KP_A64_LR 30
#define KP_A64_SP_OR_ZR 31	/* which of the two, the instruction says */
#define KP_A64_NO_REG 0xFF

enum kp_a64_class {
	KP_A64_UNALLOCATED,
	KP_A64_PLAIN,		/* does the same at any address */

	/* These write the PC, and read it unless they are BR or RET. */
	KP_A64_B,
	KP_A64_BL,
	KP_A64_BCOND,		/* b.cond, bc.cond */
	KP_A64_CBZ,		/* cbz; NOT: cbnz */
	KP_A64_TBZ,		/* tbz; NOT: tbnz */
	KP_A64_BR,		/* br; PAC: braa, brab, braaz, brabz */
	KP_A64_BLR,		/* blr; PAC: blraa ... */
	KP_A64_RET,		/* ret; PAC: retaa, retab */

	/* These read the PC. */
	KP_A64_ADR,
	KP_A64_ADRP,
	KP_A64_LITERAL,		/* ldr, ldrsw, prfm of an address near the PC */

	/* The monitor is open between the first two of these: nothing may trap there. */
	KP_A64_LOAD_EXCLUSIVE,	/* ldxr, ldaxr, ldxp, ldaxp ... */
	KP_A64_STORE_EXCLUSIVE,	/* stxr, stlxr, stxp, stlxp ... */
	KP_A64_CLREX,

	KP_A64_EXCEPTION,	/* svc hvc smc brk hlt dcps1-3 udf: comes back to where it stood */
	KP_A64_ERET,		/* eret, drps: writes PC and PSTATE; PAC: eretaa, eretab */
	KP_A64_HINT,		/* number says which; one that nobody has defined is a nop */
	KP_A64_WAIT,		/* wfe wfi wfet wfit */
	KP_A64_BARRIER,		/* dsb dmb isb sb */
	KP_A64_READ_SYSREG,	/* mrs; sysreg says which */
	KP_A64_WRITE_SYSREG,	/* msr of a register */
	KP_A64_PSTATE,		/* msr of an immediate, cfinv, xaflag, axflag, smstart, smstop */
	KP_A64_SYS,		/* sys, sysl: caches, translations, address translation ... */
	KP_A64_MOPS,		/* cpy*, set*: each of three steps counts on its neighbours */
	KP_A64_TRANSACTION,	/* tstart tcommit tcancel ttest: what traps within aborts it */
};

/* kp_a64_insn.flags */
#define KP_A64_PAC      0x001	/* the address is signed, and authenticated first */
#define KP_A64_KEY_B    0x002	/* ... with key B, else A */
#define KP_A64_MODIFIER 0x004	/* ... and the modifier in rm; else zero, for returns SP */
#define KP_A64_NOT      0x008	/* taken if not zero */
#define KP_A64_WIDE     0x010	/* a register of 64 bits is tested or loaded */
#define KP_A64_SIGNED   0x020	/* what is loaded is extended with its sign */
#define KP_A64_VECTOR   0x040	/* a vector register is loaded */
#define KP_A64_PREFETCH 0x080	/* nothing is loaded */
#define KP_A64_PAD      0x100	/* a hint that indirect branches may land on, some or all */

struct kp_a64_insn {
	uint32_t word;
	uint8_t class;		/* enum kp_a64_class */
	uint16_t flags;		/* KP_A64_PAC ... */
	uint8_t rt;		/* tested, loaded or computed: cbz tbz adr adrp ldr mrs msr sys */
	uint8_t rn;		/* the target: br blr ret; the address: exclusives */
	uint8_t rm;		/* the modifier: braa blraa */
	uint8_t rs;		/* the status: store-exclusives */
	uint8_t cond;		/* bcond: as encoded */
	uint8_t bit;		/* tbz */
	uint8_t size;		/* literal: bytes loaded, 0: prefetch */
	uint8_t number;		/* hint: CRm:op2 */
	uint16_t sysreg;	/* mrs, msr: op0:op1:CRn:CRm:op2; sys: op1:CRn:CRm:op2 */
	int64_t offset;		/* to the pc-relative operand, from the instruction, ADRP: its page */
};

/* Decode @word.  Unallocated: @insn has this class, and no register. */
void kp_a64_decode(struct kp_a64_insn *insn, uint32_t word);

/* Has it a pc-relative operand? */
static inline bool kp_a64_is_relative(const struct kp_a64_insn *insn)
{
	switch (insn->class) {
	case KP_A64_B:
	case KP_A64_BL:
	case KP_A64_BCOND:
	case KP_A64_CBZ:
	case KP_A64_TBZ:
	case KP_A64_ADR:
	case KP_A64_ADRP:
	case KP_A64_LITERAL:
		return true;
	default:
		return false;
	}
}

/* The pc-relative operand of @insn at @addr: a target, an address or a page. */
static inline uint64_t kp_a64_operand(const struct kp_a64_insn *insn, uint64_t addr)
{
	if (insn->class == KP_A64_ADRP)
		addr &= ~0xFFFull;
	return addr + (uint64_t)insn->offset;
}

#endif
