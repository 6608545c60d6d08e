/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * t32.c - T32 for the comparison with oracles.
 *
 * Owns: what the oracles are asked to disassemble; where they are wrong, each with the
 * reason; the map's rows, as they stand in memory; that an IT block has nothing in it.
 */
#include <elf.h>

#include "hear.h"
#include "insn.h"
#include "t32_tables.h"

const bool arm_thumb = true;

static const struct isa_excuse excuses[] = {
	/* As they stand in memory: of 4 bytes, the second half first. */
	{ ORACLE_OBJDUMP, 0xD001F800, 0xC001F000, KP_ARM_PLAIN, NULL,
	  "branches of the future are another profile's" },
	{ ORACLE_OBJDUMP, 0x0000EFE0, 0x0000EC00, KP_ARM_PLAIN, NULL,
	  "ldc and stc without an address are mcrr and mrrc, or nothing" },
	{ ORACLE_OBJDUMP, 0xF010EF10, 0xF010EE10, KP_ARM_PLAIN, NULL,
	  "mrc has flags in the place of the PC" },
	{ ORACLE_OBJDUMP, 0xFFFFFF00, 0x00004700, KP_ARM_BX, NULL,
	  "bx: bits that should be 0" },
	{ ORACLE_OBJDUMP, 0xFFFFFF00, 0x00004700, KP_ARM_PLAIN, NULL,
	  "bxns, blxns: another profile's" },
	{ ORACLE_OBJDUMP, 0xFFFFFFE0, 0x0000BFE0, KP_ARM_IT, NULL,
	  "no condition, and what is not the one that always holds" },
	{ ORACLE_OBJDUMP, 0x0800FE80, 0x0000F800, KP_ARM_PLAIN, NULL,
	  "memory, by a register: bits that must be 0" },
	{ ORACLE_OBJDUMP, 0x0000FE9F, 0x0000F80F, KP_ARM_PLAIN, NULL,
	  "nothing is stored beside the PC" },
	{ ORACLE_OBJDUMP, 0xF000FF70, 0xF000F930, KP_ARM_PLAIN, NULL,
	  "ldrsh into the PC is a hint that is none yet" },
	{ ORACLE_OBJDUMP, 0xFFE0FE5F, 0xC000E80F, KP_ARM_STATE, NULL,
	  "srs has no base but the stack pointer" },
	{ ORACLE_OBJDUMP, 0x0C00FE00, 0x0800FC00, KP_ARM_PLAIN, NULL,
	  "ldc2, stc2: vectors and floating point have these coprocessors' numbers" },
	{ ORACLE_OBJDUMP, 0x0E00FE00, 0x0C00FC00, KP_ARM_PLAIN, NULL, "the same" },
	{ ORACLE_OBJDUMP, 0x0F80FF2F, 0x0F80ED0F, KP_ARM_PLAIN, NULL,
	  "vldr, vstr: another profile's registers" },
	{ ORACLE_OBJDUMP, 0xFFFFFFFF, 0x8000F78F, KP_ARM_PLAIN, NULL, "there is no dcps0" },
	{ .reason = NULL },
};

static bool is_it(uint32_t word)
{
	return (word & 0xFF00) == 0xBF00 && word & 0xF && isa_len(word) == 2;
}

const struct isa isa = {
	.name = "t32", .machine = EM_ARM,
	.triple = "thumbv8-linux-gnueabihf", .features = ARM_FEATURES,
	.llvm = ARM_LLVM,
	.objdump = "arm-linux-gnueabihf-objdump -m armv8-a -M force-thumb",
	.ones = 0xE000,			/* of four bytes, most of them */
	.unallocated = KP_ARM_UNALLOCATED, .plain = KP_ARM_PLAIN, .lax = arm_is_lax, .base = 0x40000000,
	.changes_next = is_it, .nop = 0xBF00,
	.classes = arm_classes, .excuses = excuses,
};

unsigned int isa_len(uint32_t word)
{
	return kp_arm_is_wide((uint16_t)word) ? 4 : 2;
}

uint32_t isa_cut(uint32_t word)
{
	return isa_len(word) == 2 ? word & 0xFFFF : word;
}

static uint32_t in_memory(uint32_t word)
{
	return word >> 16 ? word << 16 | word >> 16 : word;
}

bool oracle_row(size_t i, uint32_t *mask, uint32_t *value)
{
	if (i >= sizeof(rows) / sizeof(rows[0]))
		return false;
	*mask = rows[i].value >> 16 ? in_memory(rows[i].mask) : rows[i].mask & 0xFFFF;
	*value = in_memory(rows[i].value);
	return true;
}
