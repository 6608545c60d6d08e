/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * second.h - what an instruction does to the second argument, and may leave behind.
 *
 * Owns: which instructions only read what the second argument points to, and which ones write
 * only registers, the stack and static data.  Invariant: an instruction that is on no list is
 * assumed to do worse.
 */
#ifndef KP_X86_SECOND_H
#define KP_X86_SECOND_H

#include "probe.h"
#include "insn/insn.h"

/* In 32 bits: of the kernel's calls, which have three in registers. */
#define SECOND (KP_X86_WORD == 8 ? KP_X86_SI : KP_X86_DX)
#define IN(value, low, high) ((value) >= (low) && (value) <= (high))

/* Of the one-byte map, with a memory operand: reads it, and writes none. */
static inline bool is_load(const struct kp_insn *insn)
{
	unsigned int op = insn->opcode, reg = insn->modrm >> 3 & 7;

	if (op < 0x40)			/* add or adc sbb and sub xor cmp */
		return (op & 7) == 2 || (op & 7) == 3 || (op & 0xfe) == 0x38;
	return (op == 0x63 && KP_X86_WORD == 8) ||	/* movsxd */
	       IN(op, 0x84, 0x85) ||	/* test */
	       IN(op, 0x8a, 0x8b) ||	/* mov */
	       (IN(op, 0x80, 0x83) && reg == 7) ||	/* cmp */
	       (IN(op, 0xf6, 0xf7) && reg == 0);	/* test */
}

static inline bool is_load_0f(const struct kp_insn *insn)
{
	return insn->pp == KP_INSN_PP_NONE &&
	       (IN(insn->opcode, 0x40, 0x4f) ||		/* cmovcc */
		IN(insn->opcode, 0xb6, 0xb7) ||		/* movzx */
		IN(insn->opcode, 0xbe, 0xbf) ||		/* movsx */
		insn->opcode == 0xaf || insn->opcode == 0x1f);	/* imul nop */
}

/* Of the one-byte map: gives the register a value that is not its own. */
static inline bool is_overwritten(const struct kp_insn *insn)
{
	bool memory = insn->flags & KP_INSN_HAS_MEM;

	switch (insn->opcode) {
	case 0x8b:			/* mov %other,%rsi */
		return !memory && insn->rm_gpr != SECOND;
	case 0x8d:			/* lea other,%rsi */
		return insn->base_gpr != SECOND && insn->index_gpr != SECOND;
	case 0x89:			/* mov %other,%rsi */
		return !memory && insn->reg_gpr != SECOND;
	case 0x31:			/* xor %rsi,%rsi */
		return !memory && insn->reg_gpr == insn->rm_gpr;
	case 0xc7:			/* mov $value,%rsi */
		return !memory;
	}
	return insn->opcode == 0xb8 + SECOND;
}

/* movzx, movsx of another register into it. */
static inline bool is_extended(const struct kp_insn *insn)
{
	return insn->pp == KP_INSN_PP_NONE && insn->reg_gpr == SECOND &&
	       (IN(insn->opcode, 0xb6, 0xb7) || IN(insn->opcode, 0xbe, 0xbf)) &&
	       !(insn->flags & KP_INSN_HAS_MEM) && insn->rm_gpr != SECOND;
}

/*
 * Could the instruction write through the second argument, or put it where this
 * walk does not see it any more?
 */
static inline bool keeps_second(const struct kp_insn *insn)
{
	if (insn->flow == KP_INSN_FLOW_SYSCALL)
		return false;
	if (!(insn->gprs & 1u << SECOND))
		return true;
	if (!kp_insn_is_legacy(insn) ||
	    insn->implicit_gprs & 1u << SECOND)
		return false;
	if (insn->map == KP_INSN_MAP_0F)
		return (insn->flags & KP_INSN_HAS_MEM && is_load_0f(insn)) ||
		       is_extended(insn);
	return insn->map == KP_INSN_MAP_1BYTE &&
	       ((insn->flags & KP_INSN_HAS_MEM && is_load(insn)) ||
		is_overwritten(insn));
}

/*
 * Of one that keeps it: has the register another value from there on?  All of the
 * register is written by what writes 4 bytes or more.
 */
static inline bool loses_second(const struct kp_insn *insn)
{
	bool memory = insn->flags & KP_INSN_HAS_MEM;

	if (!(insn->gprs & 1u << SECOND) || !kp_insn_is_legacy(insn) ||
	    insn->operand_size < 4)
		return false;
	if (insn->map == KP_INSN_MAP_0F)
		return insn->reg_gpr == SECOND && insn->pp == KP_INSN_PP_NONE &&
		       (IN(insn->opcode, 0xb6, 0xb7) || IN(insn->opcode, 0xbe, 0xbf));
	if (insn->map != KP_INSN_MAP_1BYTE)
		return false;
	if (memory && insn->opcode != 0x8d)
		return insn->opcode == 0x8b && insn->reg_gpr == SECOND;
	return is_overwritten(insn);
}

#define FRAME_MAX 256

/* Memory of the function's own frame; where no base is, nothing but static data. */
static inline bool is_own(const struct kp_insn *insn)
{
	/* ds is what it is without, and all that a kernel makes of lock on one processor. */
	if ((insn->segment && insn->segment != 0x3e) || insn->index_gpr != KP_INSN_NO_GPR)
		return false;
	if (insn->base_gpr == KP_X86_SP)
		return IN(insn->disp.value, 0, FRAME_MAX);
	return insn->base_gpr == KP_INSN_NO_GPR &&
	       (KP_X86_WORD == 4 || insn->flags & KP_INSN_RIP_REL);
}

/* Moves it to where nobody knows: but by a number, or from it. */
static inline bool moves_stack(const struct kp_insn *insn)
{
	unsigned int reg = insn->modrm >> 3 & 7;

	if (insn->opcode_gpr == KP_X86_SP)
		return true;
	if (insn->rm_gpr == KP_X86_SP)
		return insn->map != KP_INSN_MAP_1BYTE || reg == 4 || reg == 1 || reg == 6 ||
		       (insn->opcode != 0x81 && insn->opcode != 0x83);
	return insn->reg_gpr == KP_X86_SP && insn->flags & KP_INSN_HAS_MODRM &&
	       !(insn->map == KP_INSN_MAP_1BYTE && insn->opcode == 0x89);
}

/* Writes no memory but the operand, if that is one, and no register but general ones. */
static inline bool is_plain(const struct kp_insn *insn)
{
	unsigned int op = insn->opcode, reg = insn->modrm >> 3 & 7;

	if (op < 0x40)			/* add or adc sbb and sub xor cmp */
		return (op & 7) < 6;
	return IN(op, 0x40, 0x4f) ||	/* inc dec */
	       IN(op, 0x50, 0x5f) ||	/* push pop */
	       (op == 0x63 && KP_X86_WORD == 8) ||	/* movsxd */
	       op == 0x68 || op == 0x69 || op == 0x6a || op == 0x6b ||
	       IN(op, 0x70, 0x7f) ||	/* jcc */
	       op == 0x80 || op == 0x81 ||
	       IN(op, 0x83, 0x8b) || op == 0x8d ||
	       op == 0x90 || IN(op, 0x98, 0x99) ||
	       IN(op, 0xa0, 0xa3) ||	/* mov */
	       IN(op, 0xa8, 0xa9) ||	/* test */
	       IN(op, 0xb0, 0xbf) ||	/* mov */
	       IN(op, 0xc0, 0xc1) || IN(op, 0xd0, 0xd3) ||	/* shifts */
	       op == 0xc3 ||		/* ret */
	       (IN(op, 0xc6, 0xc7) && reg == 0) ||		/* mov */
	       op == 0xe9 || op == 0xeb ||
	       IN(op, 0xf6, 0xf7) ||	/* test not neg mul imul div idiv */
	       (IN(op, 0xfe, 0xff) && reg < 2);			/* inc dec */
}

static inline bool is_plain_0f(const struct kp_insn *insn)
{
	unsigned int op = insn->opcode;

	if (op == 0x1e)			/* where an indirect call may land */
		return insn->pp == KP_INSN_PP_F3 && (insn->modrm & 0xfe) == 0xfa;
	return is_load_0f(insn) ||
	       IN(op, 0x80, 0x9f) ||	/* jcc setcc */
	       IN(op, 0xb0, 0xb1) || IN(op, 0xc0, 0xc1) ||	/* cmpxchg xadd */
	       IN(op, 0xc8, 0xcf);	/* bswap */
}

/*
 * Is there nothing to undo of it where the function that it is in cannot go on?  It calls
 * nothing, and what it writes is registers, the stack, or static data.
 */
static inline bool leaves_nothing(const struct kp_insn *insn)
{
	unsigned int other = KP_INSN_REP | KP_INSN_STRING | KP_INSN_VECTOR |
			     KP_INSN_PRIVILEGED | KP_INSN_WRITES_SS;
	bool one_byte = insn->map == KP_INSN_MAP_1BYTE;

	if (!kp_insn_is_legacy(insn) || insn->flags & other || moves_stack(insn))
		return false;
	if (one_byte ? !is_plain(insn) :
		       insn->map != KP_INSN_MAP_0F || !is_plain_0f(insn))
		return false;
	if (!(insn->flags & KP_INSN_HAS_MEM))
		return true;
	if (one_byte ? is_load(insn) || insn->opcode == 0x8d ||
		       IN(insn->opcode, 0xa0, 0xa1) : is_load_0f(insn))
		return true;
	return is_own(insn);
}

#endif
