/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The decoder of A32 and T32 (Thumb): a word and its instruction set in, one struct
 * kp_arm_insn out.
 *
 * It owns the knowledge of Arm encodings and nothing else: it reads no memory, keeps no state
 * and is safe in any context.  Invariants: what the maps do not have, and what the manual
 * leaves unpredictable because of the PC, is unallocated, never guessed; every operand that
 * is the PC is known as one.  What the maps have say their heads.
 */
#ifndef KP_ARCH_ARM_INSN_H
#define KP_ARCH_ARM_INSN_H

#include "env.h"

#define KP_ARM_SP 13
#define KP_ARM_LR 14
#define KP_ARM_PC 15
#define KP_ARM_ALWAYS 14	/* the condition that always holds */

enum kp_arm_class {
	KP_ARM_UNALLOCATED,
	KP_ARM_PLAIN,		/* no operand is the PC */

	/* These write the PC; those with a register may have it as an operand, too. */
	KP_ARM_B,
	KP_ARM_BL,
	KP_ARM_BLX,		/* to the other instruction set */
	KP_ARM_BX,
	KP_ARM_BLX_REG,
	KP_ARM_BXJ,
	KP_ARM_CBZ,		/* cbz cbnz */
	KP_ARM_TABLE,		/* tbb tbh */

	/* These do where an operand is the PC (kp_arm_insn.pc), or read it. */
	KP_ARM_DATA,		/* data processing, A32 */
	KP_ARM_HIGH,		/* add cmp mov of all registers, T32 of 16 bits */
	KP_ARM_LOAD,		/* any one register, or two */
	KP_ARM_STORE,
	KP_ARM_LOAD_LIST,
	KP_ARM_STORE_LIST,
	KP_ARM_COPRO,		/* coprocessors', vectors' and floating point's memory */
	KP_ARM_PRELOAD,

	/* These always read it: T32. */
	KP_ARM_LITERAL,		/* ldr, of 16 bits */
	KP_ARM_SHORT_ADR,	/* adr, of 16 bits */
	KP_ARM_ADR,

	/* A reservation is held between these two: nothing may trap there. */
	KP_ARM_LOAD_EXCLUSIVE,
	KP_ARM_STORE_EXCLUSIVE,
	KP_ARM_CLREX,

	KP_ARM_EXCEPTION,	/* svc hvc smc bkpt udf hlt dcps */
	KP_ARM_RETURN,		/* of an exception: writes PC and mode */
	KP_ARM_STATE,		/* cps setend setpan mrs msr srs, a program's registers */
	KP_ARM_WAIT,		/* wfe wfi */
	KP_ARM_IT,		/* the condition of what follows */
};

/* kp_arm_insn.flags: fields that are registers.  Those of the PC are kp_arm_insn.pc. */
#define KP_ARM_N	0x001	/* bits 16 to 19 */
#define KP_ARM_D	0x002	/* 12 to 15 */
#define KP_ARM_S	0x004	/* 8 to 11 */
#define KP_ARM_M	0x008	/* 0 to 3 */
#define KP_ARM_LIST	0x010	/* a list of registers */
#define KP_ARM_NOT_N	0x020	/* must not be the PC */
#define KP_ARM_NOT_D	0x040
#define KP_ARM_NOT_S	0x080
#define KP_ARM_NOT_M	0x100
#define KP_ARM_NOT_LIST	0x400	/* a list without the PC */
#define KP_ARM_ZERO_N	0x800	/* must be 0 */
#define KP_ARM_ZERO_D	0x1000
#define KP_ARM_PAIR	0x200	/* of registers, the first one an even one at bit 12 */

struct kp_arm_insn {
	uint32_t word;		/* of T32's 32 bits the first half is the upper one */
	uint8_t class;		/* enum kp_arm_class */
	uint8_t len;
	uint8_t cond;		/* A32, and T32's branches; KP_ARM_ALWAYS where none is encoded */
	uint8_t pc;		/* operands that are the PC: KP_ARM_N to KP_ARM_LIST */
	uint16_t flags;
	bool thumb;
	bool unpredictable;	/* unallocated because of an operand */
	bool relative;		/* has a pc-relative operand: offset says where */
	bool aligned;		/* ... from the PC, rounded down to 4 */
	int32_t offset;
};

/* Is the instruction that begins with @half of T32 4 bytes long?  Otherwise 2. */
static inline bool kp_arm_is_wide(uint16_t half)
{
	return half >= 0xE800;
}

/* The bits of @word from @low on, @nr of them. */
static inline uint32_t kp_arm_bits(uint32_t word, unsigned int low, unsigned int nr)
{
	return word >> low & ((1u << nr) - 1);
}

/*
 * Decode what stands in memory as @word: A32, or with @thumb T32, whose first half is the
 * lower one there.
 */
void kp_arm_decode(struct kp_arm_insn *insn, uint32_t word, bool thumb);

/* What the instruction at @addr reads as the PC. */
static inline uint32_t kp_arm_pc(const struct kp_arm_insn *insn, uint32_t addr)
{
	return addr + (insn->thumb ? 4 : 8);
}

/* The pc-relative operand of @insn at @addr. */
static inline uint32_t kp_arm_operand(const struct kp_arm_insn *insn, uint32_t addr)
{
	return (kp_arm_pc(insn, addr) & (insn->aligned ? ~3u : ~0u)) + (uint32_t)insn->offset;
}

/* A row of a map, as insn.c asks for it. */
struct kp_arm_row {
	uint8_t class;
	uint16_t flags;
};

/* The row that admits @word; its condition, or its halves, as the map has them. */
bool kp_arm_a32_row(struct kp_arm_row *row, uint32_t word);
bool kp_arm_t32_row(struct kp_arm_row *row, uint32_t word);

#endif
