/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * object.h - programs and shared objects of riscv64.
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

#define OBJECT_MACHINE EM_RISCV
#define OBJECT_NAME "riscv64"
#define OBJECT_PROGRAMS "64-bit riscv64"
#define OBJECT_TRIPLET "riscv64-linux-gnu"
#define OBJECT_LINKER "ld-linux-riscv64-lp64d.so"

/* What a program can map: below 1 << that, unless it asks for more. */
#define OBJECT_ADDRESS_BITS 47

/* Types of relocations; LINKED: those that a linker fills with a symbol's value. */
#define OBJECT_NONE R_RISCV_NONE
#define OBJECT_RELATIVE R_RISCV_RELATIVE
#define OBJECT_IRELATIVE R_RISCV_IRELATIVE
#define OBJECT_TLSDESC 12		/* R_RISCV_TLSDESC */
#define OBJECT_JUMP_SLOT R_RISCV_JUMP_SLOT
#define OBJECT_GLOB_DAT R_RISCV_64	/* a word of data, too */
#define OBJECT_WORD R_RISCV_64
#define OBJECT_LINKED \
	R_RISCV_64: case R_RISCV_JUMP_SLOT: case R_RISCV_TLS_DTPMOD64: \
	case R_RISCV_TLS_DTPREL64: case R_RISCV_TLS_TPREL64

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

/* Where the stub's jump gets its target from: auipc t3, then ld t3; 0: it has none. */
static inline uint64_t object_stub_word(const uint8_t *stub, size_t len,
					uint64_t addr, uint64_t got)
{
	struct kp_rv_insn insn;
	uint32_t word, load;

	(void)got;
	if (len < 8)
		return 0;
	memcpy(&word, stub, sizeof(word));
	memcpy(&load, stub + 4, sizeof(load));
	kp_rv_decode(&insn, word);
	/* ld t3, offset(t3) */
	if (insn.class != KP_RV_AUIPC || insn.rd != 28 || (load & 0xfffff) != 0xe3e03)
		return 0;
	return kp_rv_operand(&insn, addr) + (uint64_t)((int64_t)(int32_t)load >> 20);
}

#endif
