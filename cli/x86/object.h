/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * object.h - programs and shared objects of x86-64.
 *
 * Owns: how ELF and Debian name this processor, what of its relocations matters here,
 * and the linker's stubs.
 */
#ifndef KP_CLI_OBJECT_H
#define KP_CLI_OBJECT_H

#include "native_elf.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define OBJECT_MACHINE EM_X86_64
#define OBJECT_NAME "x86-64"
#define OBJECT_PROGRAMS "64-bit x86"
#define OBJECT_TRIPLET "x86_64-linux-gnu"
#define OBJECT_LINKER "ld-linux-x86-64.so"

/* Of another machine: which library there is for its programs, if one is.  NULL: none. */
static inline const char *object_library(unsigned int machine)
{
	return machine == EM_386 ? "i386" : NULL;
}

/* What a program can map: below 1 << that. */
#define OBJECT_ADDRESS_BITS 47

/* One instruction set: bit 0 of a symbol says nothing of it, and no marks do. */
#define OBJECT_TWO_SETS 0
#define object_second_flags(start, at) ((void)(start), (void)(at), 0u)

/* Types of relocations; LINKED: those that a linker fills with a symbol's value. */
#define OBJECT_NONE R_X86_64_NONE
#define OBJECT_RELATIVE R_X86_64_RELATIVE
#define OBJECT_IRELATIVE R_X86_64_IRELATIVE
#define OBJECT_TLSDESC R_X86_64_TLSDESC
#define OBJECT_JUMP_SLOT R_X86_64_JUMP_SLOT
#define OBJECT_GLOB_DAT R_X86_64_GLOB_DAT
#define OBJECT_WORD R_X86_64_64		/* a word with an address, in data */
#define OBJECT_LINKED \
	R_X86_64_64: case R_X86_64_GLOB_DAT: case R_X86_64_JUMP_SLOT: \
	case R_X86_64_DTPMOD64: case R_X86_64_DTPOFF64: case R_X86_64_TPOFF64

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

/* Where the stub's jump gets its target from; 0: it has none. */
static inline uint64_t object_stub_word(const uint8_t *stub, size_t len,
					uint64_t addr, uint64_t got)
{
	int32_t disp;
	size_t at;

	(void)got;
	/* ff 25 disp32: jmp *disp(%rip) */
	for (at = 0; at + 6 <= len; at++)
		if (stub[at] == 0xff && stub[at + 1] == 0x25) {
			memcpy(&disp, stub + at + 2, sizeof(disp));
			return addr + at + 6 + (uint64_t)(int64_t)disp;
		}
	return 0;
}

#endif
