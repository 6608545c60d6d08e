// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * section.c - the sections of an ELF file, by name.
 *
 * Owns: the search.
 */
#include "section.h"

#include <string.h>

Elf_Scn *section_named(Elf *elf, Elf_Scn *after, const char *name,
		       GElf_Shdr *sh)
{
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((after = elf_nextscn(elf, after))) {
		const char *is = gelf_getshdr(after, sh) ?
				 elf_strptr(elf, names, sh->sh_name) : NULL;

		if (is && !strcmp(is, name))
			return after;
	}
	return NULL;
}
