/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * object_rel.h - relocations that add to what stands in their place, of 32 bits.
 */
#ifndef KP_CLI_OBJECT_REL_H
#define KP_CLI_OBJECT_REL_H

#include <elf.h>
#include <stdint.h>

/* A relocation, and what it adds to; word: what stands in its place. */
typedef Elf32_Rel object_reloc;
#define OBJECT_ADDENDS 0		/* that is there */
static inline uint64_t object_addend(const object_reloc *reloc, uint64_t word)
{
	(void)reloc;
	return word;
}

#endif
