/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * operands.h - which registers a word names, as far as code is looked at for them.
 *
 * Owns: the groups of A64 by bits 25 to 28, and the places of general registers in
 * those whose places do not depend on much.  Pure.
 */
#ifndef KP_ARM64_OPERANDS_H
#define KP_ARM64_OPERANDS_H

#include "insn/insn.h"

static inline unsigned int kp_a64_field(uint32_t word, unsigned int low)
{
	return word >> low & 31;
}

#define KP_A64_RD(word) kp_a64_field(word, 0)	/* Rt of loads and stores */
#define KP_A64_RN(word) kp_a64_field(word, 5)
#define KP_A64_RA(word) kp_a64_field(word, 10)	/* Rt2 */
#define KP_A64_RM(word) kp_a64_field(word, 16)

static inline bool kp_a64_is_immediate(uint32_t word)
{
	return (word & 0x1c000000) == 0x10000000;
}

static inline bool kp_a64_is_branch_or_system(uint32_t word)
{
	return (word & 0x1c000000) == 0x14000000;
}

static inline bool kp_a64_is_register(uint32_t word)
{
	return (word & 0x0e000000) == 0x0a000000;
}

static inline bool kp_a64_is_load_store(uint32_t word)
{
	return (word & 0x0a000000) == 0x08000000;
}

/* adr and adrp; movn, movz and movk: they have no Rn. */
static inline bool kp_a64_has_wide_immediate(uint32_t word)
{
	return (word & 0x1f000000) == 0x10000000 || (word & 0x1f800000) == 0x12800000;
}

/* pacia, autia, xpaci ...: what the register stands for is the same. */
static inline bool kp_a64_signs(uint32_t word)
{
	return (word & 0xffff0000) == 0xdac10000;
}

/* ldr, str of a general register, all sizes, [Rn, #imm]: scaled; unscaled. */
static inline bool kp_a64_is_plain_access(uint32_t word)
{
	return (word & 0x3f000000) == 0x39000000 || (word & 0x3f200c00) == 0x38000000;
}

static inline bool kp_a64_plain_loads(uint32_t word)
{
	return word & 0x00c00000;
}

/* The offset of such an access, in bytes. */
static inline int64_t kp_a64_plain_offset(uint32_t word)
{
	if (word & 0x01000000)
		return (int64_t)(word >> 10 & 0xfff) << (word >> 30);
	return (int64_t)((word >> 12 & 0x1ff) ^ 0x100) - 0x100;
}

/* ldp, stp of general registers, and ldpsw: at an offset; before; after. */
static inline bool kp_a64_is_pair(uint32_t word)
{
	return (word & 0x3e000000) == 0x28000000 && (word & 0x01800000);
}

static inline bool kp_a64_pair_loads(uint32_t word)
{
	return word & 0x00400000;
}

/* Its base register changes, by the offset. */
static inline bool kp_a64_pair_moves(uint32_t word)
{
	return (word & 0x01800000) != 0x01000000;
}

static inline bool kp_a64_pair_moves_after(uint32_t word)
{
	return (word & 0x01800000) == 0x00800000;
}

static inline int64_t kp_a64_pair_offset(uint32_t word)
{
	int64_t nr = (int64_t)((word >> 15 & 0x7f) ^ 0x40) - 0x40;

	return nr * (word >> 31 ? 8 : 4);
}

/* ldr, str with the base changed before (pre) or after. */
static inline bool kp_a64_is_moving_access(uint32_t word)
{
	return (word & 0x3f200400) == 0x38000400;
}

static inline bool kp_a64_moving_after(uint32_t word)
{
	return !(word & 0x800);
}

#endif
