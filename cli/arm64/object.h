/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * object.h - programs and shared objects of arm64.
 *
 * Owns: how ELF and Debian name this processor, what of its relocations matters here,
 * and the linker's stubs.
 */
#ifndef KP_CLI_OBJECT_H
#define KP_CLI_OBJECT_H

#include "insn.h"
#include "native_elf.h"
#include "object_words.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define OBJECT_MACHINE EM_AARCH64
#define OBJECT_NAME "arm64"
#define OBJECT_PROGRAMS "64-bit arm64"
#define OBJECT_TRIPLET "aarch64-linux-gnu"
#define OBJECT_LINKER "ld-linux-aarch64.so"

/* What a program can map: below 1 << that. */
#define OBJECT_ADDRESS_BITS 48

/* Types of relocations; LINKED: those that a linker fills with a symbol's value. */
#define OBJECT_NONE R_AARCH64_NONE
#define OBJECT_RELATIVE R_AARCH64_RELATIVE
#define OBJECT_IRELATIVE R_AARCH64_IRELATIVE
#define OBJECT_TLSDESC R_AARCH64_TLSDESC
#define OBJECT_JUMP_SLOT R_AARCH64_JUMP_SLOT
#define OBJECT_GLOB_DAT R_AARCH64_GLOB_DAT
#define OBJECT_WORD R_AARCH64_ABS64
#define OBJECT_LINKED \
	R_AARCH64_ABS64: case R_AARCH64_GLOB_DAT: case R_AARCH64_JUMP_SLOT: \
	case R_AARCH64_TLS_DTPMOD: case R_AARCH64_TLS_DTPREL: case R_AARCH64_TLS_TPREL

/* A relocation, and what it adds to; word: what stands in its place. */
typedef Elf64_Rela object_reloc;
#define OBJECT_ADDENDS 1		/* they bring that themselves */
static inline uint64_t object_addend(const object_reloc *reloc, uint64_t word)
{
	(void)word;
	return (uint64_t)reloc->r_addend;
}

/* Code of the linker's through which functions of other objects are called. */
#define OBJECT_STUB_LEN 16u

/* Where the stub's jump gets its target from: adrp, then ldr of 64 bits; 0: it has none. */
static inline uint64_t object_stub_word(const uint8_t *stub, size_t len,
					uint64_t addr, uint64_t got)
{
	struct kp_a64_insn insn;
	uint32_t word, load;
	size_t at;

	(void)got;
	for (at = 0; at + 8 <= len; at += KP_A64_LEN) {
		memcpy(&word, stub + at, sizeof(word));
		memcpy(&load, stub + at + KP_A64_LEN, sizeof(load));
		kp_a64_decode(&insn, word);
		if (insn.class == KP_A64_ADRP && load >> 22 == 0xf9400000 >> 22)
			return kp_a64_operand(&insn, addr + at) +
			       (load >> 10 & 0xfff) * 8;
	}
	return 0;
}

#endif
