/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * a32.c - A32 for the comparison with oracles.
 *
 * Owns: what the oracles are asked to disassemble; where they are wrong, each with the
 * reason; the map's rows.
 */
#include <elf.h>

#include "hear.h"
#include "insn.h"
#include "a32_tables.h"

const bool arm_thumb = false;

static const struct isa_excuse excuses[] = {
	{ ORACLE_OBJDUMP, 0x0D900000, 0x01000000, KP_ARM_PLAIN, NULL,
	  "tst, teq, cmp and cmn that change no flags are others" },
	{ ORACLE_OBJDUMP, 0x0FE00000, 0x0C000000, KP_ARM_PLAIN, NULL,
	  "ldc and stc without an address are mcrr and mrrc, or nothing" },
	{ ORACLE_OBJDUMP, 0x0F10F010, 0x0E10F010, KP_ARM_PLAIN, NULL,
	  "mrc has flags in the place of the PC" },
	{ ORACLE_OBJDUMP, 0x0DB0F000, 0x0120F000, KP_ARM_STATE, NULL,
	  "msr: what is other instructions" },
	{ ORACLE_OBJDUMP, 0xFF700000, 0xF4100000, KP_ARM_PLAIN, NULL,
	  "pldw: hints that are none yet" },
	{ ORACLE_OBJDUMP, 0xFE100010, 0xF6100010, KP_ARM_PLAIN, NULL,
	  "pld, pli: no register is shifted by another" },
	{ ORACLE_OBJDUMP, 0xFE000C00, 0xFC000800, KP_ARM_PLAIN, NULL,
	  "ldc2, stc2: vectors and floating point have these coprocessors' numbers" },
	{ ORACLE_OBJDUMP, 0xFE000E00, 0xFC000C00, KP_ARM_PLAIN, NULL, "the same" },
	{ ORACLE_OBJDUMP, 0x0F2F0F80, 0x0D0F0F80, KP_ARM_PLAIN, NULL,
	  "vldr, vstr: another profile's registers" },
	{ ORACLE_OBJDUMP, 0xFF700010, 0xF6100000, KP_ARM_PLAIN, NULL,
	  "pldw, by a register: hints that are none yet" },
	{ ORACLE_OBJDUMP, 0x0FF00CFF, 0x01A00C9E, KP_ARM_STORE_EXCLUSIVE, NULL,
	  "stlexd, strexd: what has no second register" },
	{ ORACLE_OBJDUMP, 0x0FF0FCFF, 0x01B0EC9F, KP_ARM_LOAD_EXCLUSIVE, NULL,
	  "ldaexd, ldrexd: the same" },
	{ ORACLE_OBJDUMP, 0xFFFF0000, 0xF1010000, KP_ARM_STATE, NULL,
	  "setend: bits that must be 0" },
	{ .reason = NULL },
};

const struct isa isa = {
	.name = "a32", .machine = EM_ARM,
	.triple = "armv8-linux-gnueabihf", .features = ARM_FEATURES,
	.llvm = ARM_LLVM,
	.objdump = "arm-linux-gnueabihf-objdump -m armv8-a",
	.unallocated = KP_ARM_UNALLOCATED, .plain = KP_ARM_PLAIN, .lax = arm_is_lax, .base = 0x40000000,
	.classes = arm_classes, .excuses = excuses,
};

unsigned int isa_len(uint32_t word)
{
	(void)word;
	return 4;
}

uint32_t isa_cut(uint32_t word)
{
	return word;
}

bool oracle_row(size_t i, uint32_t *mask, uint32_t *value)
{
	if (i >= sizeof(rows) / sizeof(rows[0]))
		return false;
	*mask = rows[i].mask;
	*value = rows[i].value;
	return true;
}
