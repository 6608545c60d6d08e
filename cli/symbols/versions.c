// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * versions.c - the versions that a library's functions have.
 *
 * Owns: what .gnu.version says of dynamic symbols.  A library may have several
 * functions of one name; a program that is linked now gets the default one.
 */
#include "symbols.h"
#include "object.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#define HIDDEN 0x8000

/* The tables of one file. */
struct tables {
	Elf *elf;
	GElf_Addr bias;
	Elf_Data *symbols, *numbers, *definitions;
	size_t symbol_names, definition_names, nr;
};

static bool tables_of(const struct symbol_module *m, struct tables *t)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	*t = (struct tables){ NULL };
	t->elf = m->dwfl ? dwfl_module_getelf(m->dwfl, &t->bias) : NULL;
	while (t->elf && (scn = elf_nextscn(t->elf, scn))) {
		if (!gelf_getshdr(scn, &sh))
			continue;
		if (sh.sh_type == SHT_DYNSYM && sh.sh_entsize) {
			t->symbols = elf_getdata(scn, NULL);
			t->symbol_names = sh.sh_link;
			t->nr = sh.sh_size / sh.sh_entsize;
		} else if (sh.sh_type == SHT_GNU_versym) {
			t->numbers = elf_getdata(scn, NULL);
		} else if (sh.sh_type == SHT_GNU_verdef) {
			t->definitions = elf_getdata(scn, NULL);
			t->definition_names = sh.sh_link;
		}
	}
	return t->symbols && t->numbers;
}

/* Symbol i, if it is a function that the file defines; NULL: it is not. */
static const char *function_at(const struct tables *t, size_t i, uint64_t *addr,
			       GElf_Versym *number)
{
	GElf_Sym sym;
	int type;

	if (!gelf_getsym(t->symbols, (int)i, &sym) ||
	    !gelf_getversym(t->numbers, (int)i, number) || sym.st_shndx == SHN_UNDEF)
		return NULL;
	type = GELF_ST_TYPE(sym.st_info);
	if (type != STT_FUNC && type != STT_GNU_IFUNC)
		return NULL;
	*addr = sym.st_value + t->bias;
	if (OBJECT_TWO_SETS)
		*addr &= ~1ull;
	return elf_strptr(t->elf, t->symbol_names, sym.st_name);
}

static struct symbol *symbol_at(const struct symbols *s, unsigned int module,
				uint64_t addr, const char *name)
{
	size_t i = symbols_up_to(s, s->nr, addr);

	while (i-- > 0 && s->all[i].addr == addr)
		if (s->all[i].module == module && !strcmp(s->all[i].name, name))
			return &s->all[i];
	return NULL;
}

/* One that has both at one address is the default one. */
static void mark(struct symbols *s, unsigned int module, const struct tables *t, bool old)
{
	GElf_Versym number;
	struct symbol *sym;
	const char *name;
	uint64_t addr;
	size_t i;

	for (i = 1; i < t->nr; i++) {
		name = function_at(t, i, &addr, &number);
		if (!name || !(number & HIDDEN) == old)
			continue;
		sym = symbol_at(s, module, addr, name);
		if (sym)
			sym->old = old;
	}
}

void symbols_mark_old(struct symbols *s, unsigned int module)
{
	struct tables t;

	if (!tables_of(&s->modules[module], &t))
		return;
	mark(s, module, &t, true);
	mark(s, module, &t, false);
}

static bool is_version(const struct tables *t, GElf_Versym number, const char *version)
{
	GElf_Verdaux aux;
	GElf_Verdef def;
	const char *name;
	int at = 0, steps;

	for (steps = 0; t->definitions && steps < 65536; steps++) {
		if (!gelf_getverdef(t->definitions, at, &def))
			return false;
		if (def.vd_ndx == (number & ~HIDDEN)) {
			if (!gelf_getverdaux(t->definitions, at + (int)def.vd_aux, &aux))
				return false;
			name = elf_strptr(t->elf, t->definition_names, aux.vda_name);
			return name && !strcmp(name, version);
		}
		if (!def.vd_next)
			return false;
		at += (int)def.vd_next;
	}
	return false;
}

uint64_t symbols_version(const struct symbols *s, unsigned int module,
			 const char *name, size_t len, const char *version)
{
	const char *found;
	GElf_Versym number;
	struct tables t;
	uint64_t addr;
	size_t i;

	if (!tables_of(&s->modules[module], &t))
		return 0;
	for (i = 1; i < t.nr; i++) {
		found = function_at(&t, i, &addr, &number);
		if (found && !strncmp(found, name, len) && !found[len] &&
		    is_version(&t, number, version))
			return addr;
	}
	return 0;
}
