/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * section.h - the sections of an ELF file, by name.
 *
 * Owns: nothing but the declaration of section.c.
 */
#ifndef KP_CLI_SECTION_H
#define KP_CLI_SECTION_H

#include <gelf.h>

/* The first of that name behind after (NULL: of all); NULL: there is none. */
Elf_Scn *section_named(Elf *elf, Elf_Scn *after, const char *name,
		       GElf_Shdr *sh);

#endif
