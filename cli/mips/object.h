/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * object.h - programs and shared objects of MIPS, of 64 bits (n64) or 32 (o32), little endian.
 *
 * Owns: how ELF and Debian name this processor, and what of its relocations matters here.
 * Of 64 bits a relocation's types are bytes of their own, behind its symbol.  Of either,
 * most words are in the part of the table that is relocated without being named.
 */
#ifndef KP_CLI_OBJECT_H
#define KP_CLI_OBJECT_H

#include "abi.h"
#include "native_elf.h"
#include "object_words.h"

#include <stddef.h>
#include <stdint.h>

#define OBJECT_MACHINE EM_MIPS
#define OBJECT_LINKER "ld.so"

/* ADDRESS_BITS: what a program can map, below 1 << that, or less. */
#if ABI_WIDE
#define OBJECT_NAME "mips64el"
#define OBJECT_PROGRAMS "64-bit mips"
#define OBJECT_TRIPLET "mips64el-linux-gnuabi64"
#define OBJECT_ADDRESS_BITS 48

/* The symbol's number comes first, then types from the last one on. */
#undef NATIVE_R_TYPE
#undef NATIVE_R_SYM
#define NATIVE_R_TYPE(info) ((unsigned int)((uint64_t)(info) >> 56))
#define NATIVE_R_SYM(info) ((uint32_t)(info))
#undef NATIVE_GELF_R_TYPE
#undef NATIVE_GELF_R_SYM
#define NATIVE_GELF_R_TYPE(info) NATIVE_R_TYPE(info)
#define NATIVE_GELF_R_SYM(info) NATIVE_R_SYM(info)

#define OBJECT_LINKED_TLS \
	R_MIPS_TLS_DTPMOD64: case R_MIPS_TLS_DTPREL64: case R_MIPS_TLS_TPREL64
#else
#define OBJECT_NAME "mipsel"
#define OBJECT_PROGRAMS "32-bit mips"
#define OBJECT_TRIPLET "mipsel-linux-gnu"
#define OBJECT_ADDRESS_BITS 31

#define OBJECT_LINKED_TLS \
	R_MIPS_TLS_DTPMOD32: case R_MIPS_TLS_DTPREL32: case R_MIPS_TLS_TPREL32
#endif

/* Types of relocations; LINKED: those that a linker fills with a symbol's value. */
#define OBJECT_NONE R_MIPS_NONE
#define OBJECT_RELATIVE R_MIPS_REL32
#undef OBJECT_RELATIVE_NAMES
#define OBJECT_RELATIVE_NAMES 1
#define OBJECT_IRELATIVE 128		/* R_MIPS_IRELATIVE */
#define OBJECT_TLSDESC 255		/* none */
#define OBJECT_JUMP_SLOT R_MIPS_JUMP_SLOT
#define OBJECT_GLOB_DAT R_MIPS_GLOB_DAT
#define OBJECT_WORD R_MIPS_32
#define OBJECT_LINKED R_MIPS_GLOB_DAT: case R_MIPS_JUMP_SLOT: case OBJECT_LINKED_TLS

/* RISC-V's: a CFA to which nothing is added, but that a CIE says in which register it is. */
#undef OBJECT_CFI_OF
#define OBJECT_CFI_OF EM_RISCV

/* Its addresses are offsets for good. */
#undef OBJECT_DYNAMIC_STAYS
#define OBJECT_DYNAMIC_STAYS 1

/* A relocation, and what it adds to; word: what stands in its place. */
typedef ElfW(Rel) object_reloc;
#define OBJECT_ADDENDS 0		/* that is there */
static inline uint64_t object_addend(const object_reloc *reloc, uint64_t word)
{
	(void)reloc;
	return word;
}

/* Functions of others are called by way of words alone: there is no code for it to be named. */
#define OBJECT_STUB_LEN 16u
#define object_stub_word(stub, len, addr, got) ((void)(stub), (void)(addr), (void)(got), 0)

#endif
