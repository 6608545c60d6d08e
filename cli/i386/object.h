/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * object.h - programs and shared objects of i386.
 *
 * Owns: how ELF and Debian name this processor, what of its relocations matters here,
 * and the linker's stubs.
 */
#ifndef KP_CLI_OBJECT_H
#define KP_CLI_OBJECT_H

#include "native_elf.h"
#include "object_rel.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define OBJECT_MACHINE EM_386
#define OBJECT_NAME "i386"
#define OBJECT_PROGRAMS "32-bit x86"
#define OBJECT_TRIPLET "i386-linux-gnu"
#define OBJECT_LINKER "ld-linux.so"

/* Of another machine: which library there is for its programs, if one is.  NULL: none. */
static inline const char *object_library(unsigned int machine)
{
	return machine == EM_X86_64 ? "x86" : NULL;
}

/* What a program can map: below 1 << that. */
#define OBJECT_ADDRESS_BITS 32

/* One instruction set: bit 0 of a symbol says nothing of it, and no marks do. */
#define OBJECT_TWO_SETS 0
#define object_second_flags(start, at) ((void)(start), (void)(at), 0u)

/* Types of relocations; LINKED: those that a linker fills with a symbol's value. */
#define OBJECT_NONE R_386_NONE
#define OBJECT_RELATIVE R_386_RELATIVE
#define OBJECT_IRELATIVE R_386_IRELATIVE
#define OBJECT_TLSDESC R_386_TLS_DESC
#define OBJECT_JUMP_SLOT R_386_JMP_SLOT
#define OBJECT_GLOB_DAT R_386_GLOB_DAT
#define OBJECT_WORD R_386_32
#define OBJECT_LINKED \
	R_386_32: case R_386_PC32: case R_386_GLOB_DAT: case R_386_JMP_SLOT: \
	case R_386_TLS_DTPMOD32: case R_386_TLS_DTPOFF32: case R_386_TLS_TPOFF: \
	case R_386_TLS_TPOFF32

/* Code of the linker's through which functions of other objects are called. */
#define OBJECT_STUB_LEN 16u

/* Where the stub's jump gets its target from; 0: it has none. */
static inline uint64_t object_stub_word(const uint8_t *stub, size_t len,
					uint64_t addr, uint64_t got)
{
	uint32_t disp;
	size_t at;

	(void)addr;
	/* ff 25 disp32: jmp *disp; ff a3 disp32: jmp *disp(%ebx) */
	for (at = 0; at + 6 <= len; at++)
		if (stub[at] == 0xff && (stub[at + 1] == 0x25 || stub[at + 1] == 0xa3)) {
			memcpy(&disp, stub + at + 2, sizeof(disp));
			return (uint32_t)((stub[at + 1] == 0xa3 ? got : 0) + disp);
		}
	return 0;
}

#endif
