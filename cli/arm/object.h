/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * object.h - programs and shared objects of arm (EABI, registers for floating point).
 *
 * Owns: how ELF and Debian name this processor, what of its relocations matters here,
 * and the linker's stubs.
 */
#ifndef KP_CLI_OBJECT_H
#define KP_CLI_OBJECT_H

#include "arch.h"
#include "native_elf.h"
#include "object_rel.h"
#include "reserved.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define OBJECT_MACHINE EM_ARM
#define OBJECT_NAME "arm"
#define OBJECT_PROGRAMS "32-bit arm"
#define OBJECT_TRIPLET "arm-linux-gnueabihf"
#define OBJECT_LINKER "ld-linux-armhf.so"

/* Of another machine: which library there is for its programs, if one is.  NULL: none. */
static inline const char *object_library(unsigned int machine)
{
	(void)machine;
	return NULL;
}

/* What a program can map: below 1 << that. */
#define OBJECT_ADDRESS_BITS 32

/* Bit 0 of a function's symbol says that it is of the second set, $a, $t and $d what stands where. */
#define OBJECT_TWO_SETS 1

/* What is known of an instruction of the second, so far behind where its function begins. */
static inline unsigned int object_second_flags(const uint8_t *start, size_t at)
{
	uint8_t before[KP_REGION_BEFORE] = { 0 };
	size_t len = at < sizeof(before) ? at : sizeof(before);

	memcpy(before + sizeof(before) - len, start + at - len, len);
	return KP_ARCH_SECOND_SET | (kp_arm_may_be_in_block(before) ? 0 : KP_ARCH_NO_BLOCK);
}

/* Types of relocations; LINKED: those that a linker fills with a symbol's value. */
#define OBJECT_NONE R_ARM_NONE
#define OBJECT_RELATIVE R_ARM_RELATIVE
#define OBJECT_IRELATIVE R_ARM_IRELATIVE
#define OBJECT_TLSDESC R_ARM_TLS_DESC
#define OBJECT_JUMP_SLOT R_ARM_JUMP_SLOT
#define OBJECT_GLOB_DAT R_ARM_GLOB_DAT
#define OBJECT_WORD R_ARM_ABS32
#define OBJECT_LINKED \
	R_ARM_ABS32: case R_ARM_REL32: case R_ARM_GLOB_DAT: case R_ARM_JUMP_SLOT: \
	case R_ARM_TLS_DTPMOD32: case R_ARM_TLS_DTPOFF32: case R_ARM_TLS_TPOFF32

/* Code of the linker's through which functions of other objects are called, of A32. */
#define OBJECT_STUB_LEN 12u

/* A constant of data processing: 8 bits, rotated. */
static inline uint32_t object_constant(uint32_t insn)
{
	unsigned int by = insn >> 7 & 30;
	uint32_t value = insn & 0xff;

	return by ? value >> by | value << (32 - by) : value;
}

/*
 * Where the stub's jump gets its target from; 0: it has none.
 * add ip, pc, #..; add ip, ip, #..; ldr pc, [ip, #..]!
 */
static inline uint64_t object_stub_word(const uint8_t *stub, size_t len,
					uint64_t addr, uint64_t got)
{
	uint32_t insn[3];

	(void)got;
	if (len < sizeof(insn))
		return 0;
	memcpy(insn, stub, sizeof(insn));
	if ((insn[0] & 0xfffff000) != 0xe28fc000 || (insn[1] & 0xfffff000) != 0xe28cc000 ||
	    (insn[2] & 0xfffff000) != 0xe5bcf000)
		return 0;
	return (uint32_t)addr + 8 + object_constant(insn[0]) + object_constant(insn[1]) +
	       (insn[2] & 0xfff);
}

#endif
