/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The RV64GC instruction decoder: a word in, one struct kp_rv_insn out.
 *
 * It owns the knowledge of RISC-V encodings and nothing else: it reads no memory, keeps
 * no state and is safe in any context.  Invariant: a word that the map does not have is
 * unallocated, never guessed; how long it is says its lowest half all the same.  What the
 * map has says its head.
 */
#ifndef KP_ARCH_RISCV64_INSN_H
#define KP_ARCH_RISCV64_INSN_H

#include "env.h"

#define KP_RV_ZERO 0		/* reads as 0, and forgets */
#define KP_RV_RA 1
#define KP_RV_SP 2
#define KP_RV_TP 4
#define KP_RV_NO_REG 0xFF

enum kp_rv_class {
	KP_RV_UNALLOCATED,
	KP_RV_PLAIN,		/* does the same at any address */

	/* These write the PC. */
	KP_RV_JAL,		/* jal, c.j */
	KP_RV_JALR,		/* jalr, c.jr, c.jalr */
	KP_RV_BRANCH,		/* beq bne blt bge bltu bgeu, c.beqz, c.bnez */

	KP_RV_AUIPC,		/* reads it */

	/* A reservation is held between these two: nothing may trap there. */
	KP_RV_LOAD_RESERVED,
	KP_RV_STORE_CONDITIONAL,

	KP_RV_EXCEPTION,	/* ecall ebreak c.ebreak c.unimp: comes back to where it stood */
	KP_RV_RETURN,		/* mret sret dret: writes PC and privilege */
	KP_RV_WAIT,		/* wfi */
	KP_RV_FENCE_I,		/* what was written is what is executed, from here on */
	KP_RV_ADDRESS,		/* sfence.vma, hfence.gvma ...: translations are forgotten */
	KP_RV_CSR,		/* csrrw ...; csr says which; WRITE: it is written, too */
};

/* kp_rv_insn.flags */
#define KP_RV_WRITE 0x1

/* kp_rv_insn.cond, as encoded: the odd ones are what the even ones are not. */
enum kp_rv_cond {
	KP_RV_EQ, KP_RV_NE, KP_RV_LT = 4, KP_RV_GE, KP_RV_LTU, KP_RV_GEU,
};

struct kp_rv_insn {
	uint32_t word;		/* of a compressed one the upper half is 0 */
	uint8_t class;		/* enum kp_rv_class */
	uint8_t flags;
	uint8_t len;		/* in bytes; 0: not defined; above 4: always unallocated */
	uint8_t rd;		/* jal jalr auipc: what is written; c.j: KP_RV_ZERO */
	uint8_t rs1;		/* jalr, branches */
	uint8_t rs2;		/* branches */
	uint8_t cond;		/* branches: enum kp_rv_cond */
	uint16_t csr;
	int64_t offset;		/* jal, branches, auipc: from the instruction; jalr: from rs1 */
};

/*
 * The length of an instruction that begins with @half: 2, 4, 6 or 8; 0: longer ones, whose
 * encoding nobody has settled.
 */
unsigned int kp_rv_length(uint16_t half);

/* Decode @word, of which a compressed instruction is the lower half. */
void kp_rv_decode(struct kp_rv_insn *insn, uint32_t word);

/*
 * The word of 4 bytes that does the same as @insn, which may be one; 0: @insn is
 * compressed, and not plain or of floating point.
 */
uint32_t kp_rv_long(const struct kp_rv_insn *insn);

/* Has it a pc-relative operand? */
static inline bool kp_rv_is_relative(const struct kp_rv_insn *insn)
{
	return insn->class == KP_RV_JAL || insn->class == KP_RV_BRANCH ||
	       insn->class == KP_RV_AUIPC;
}

/* The pc-relative operand of @insn at @addr. */
static inline uint64_t kp_rv_operand(const struct kp_rv_insn *insn, uint64_t addr)
{
	return addr + (uint64_t)insn->offset;
}

#endif
