// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * data.c - variables of a process by name.
 *
 * Owns: symbols_data, symbols_engine_data.  Several files of a program may have a static variable of one name.
 */
#include "symbols.h"

#include <gelf.h>
#include <string.h>

#define SAME_MAX 64			/* of one name */

static bool is_called(const char *symbol, const char *name)
{
	return !strcmp(symbol, name) || demangle_matches(symbol, name);
}

static unsigned int take_module(const struct symbols *s, unsigned int module,
				const char *name, symbols_data_fn take, void *arg)
{
	Dwfl_Module *dwfl = s->modules[module].dwfl;
	int all = dwfl ? dwfl_module_getsymtab(dwfl) : 0, i;
	uint64_t seen[SAME_MAX];
	unsigned int nr = 0, k;

	for (i = 1; i < all; i++) {
		GElf_Word shndx;
		GElf_Addr addr;
		GElf_Sym sym;
		const char *found = dwfl_module_getsym_info(dwfl, i, &sym, &addr, &shndx,
							    NULL, NULL);

		if (!found || shndx == SHN_UNDEF || shndx >= SHN_LORESERVE ||
		    GELF_ST_TYPE(sym.st_info) != STT_OBJECT || !is_called(found, name))
			continue;
		for (k = 0; k < nr && seen[k] != addr;)
			k++;
		if (k < nr || nr == SAME_MAX)
			continue;
		seen[nr++] = addr;
		if (take)
			take(arg, addr);
	}
	return nr;
}

unsigned int symbols_data(const struct symbols *s, const char *name,
			  symbols_data_fn take, void *arg)
{
	unsigned int i, nr;

	for (i = 0; i < s->modules_nr; i++) {
		if (s->modules[i].engine || s->modules[i].vdso || s->modules[i].later)
			continue;
		nr = take_module(s, i, name, take, arg);
		if (nr)
			return nr;
	}
	return 0;
}

bool symbols_engine_data(const struct symbols *s, const char *name)
{
	unsigned int i;

	for (i = 0; i < s->modules_nr; i++)
		if (s->modules[i].engine && s->modules[i].owner[0] &&
		    take_module(s, i, name, NULL, NULL))
			return true;
	return false;
}
