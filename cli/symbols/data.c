// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * data.c - variables of a process by name.
 *
 * Owns: symbols_data, symbols_engine_data.  Several files of a program may have a static variable of one name.
 */
#include "copies.h"
#include "symbols.h"

#include <gelf.h>
#include <string.h>

#define SAME_MAX 64			/* of one name */

/* By the linker's name or the source's; a local one of a function has a number behind it. */
static bool is_called(const char *symbol, const char *name)
{
	size_t len = strlen(name);
	bool part;

	return (!strncmp(symbol, name, len) && copies_is_ending(symbol + len, &part)) ||
	       demangle_matches(symbol, name);
}

struct looking {
	const struct symbols *s;
	const struct symbols_variable *wanted;
	symbols_data_fn take;
	void *arg;
	uint64_t seen[SAME_MAX];
	unsigned int nr, thread_local;
};

static bool is_new(struct looking *look, uint64_t addr)
{
	unsigned int k;

	for (k = 0; k < look->nr; k++)
		if (look->seen[k] == addr)
			return false;
	if (look->nr == SAME_MAX)
		return false;
	look->seen[look->nr++] = addr;
	return true;
}

static void take_module(struct looking *look, unsigned int module)
{
	const struct symbol_module *m = &look->s->modules[module];
	const struct symbols_variable *w = look->wanted;
	int all = m->dwfl ? dwfl_module_getsymtab(m->dwfl) : 0, i;

	for (i = 1; i < all; i++) {
		GElf_Word shndx;
		GElf_Addr addr;
		GElf_Sym sym;
		const char *found = dwfl_module_getsym_info(m->dwfl, i, &sym, &addr, &shndx,
							    NULL, NULL);
		int type = GELF_ST_TYPE(sym.st_info);

		if (!found || shndx == SHN_UNDEF || shndx >= SHN_LORESERVE ||
		    (type != STT_OBJECT && type != STT_TLS) || !is_called(found, w->name))
			continue;
		look->thread_local += type == STT_TLS;
		if (type == STT_TLS ||
		    (w->source && !symbols_from(m, found, addr, w->source)) ||
		    !is_new(look, addr))
			continue;
		if (look->take)
			look->take(look->arg, addr, !strcmp(found, w->name));
	}
}

/* Of one object; a library that is loaded twice (dlmopen) is one. */
static bool is_asked(const struct looking *look, unsigned int module, const char *label)
{
	const struct symbol_module *m = &look->s->modules[module];

	if (m->engine || m->vdso || m->later || (label && strcmp(m->label, label)))
		return false;
	return !look->wanted->owner || symbols_module_owned(m, look->wanted->owner);
}

unsigned int symbols_data(const struct symbols *s, const struct symbols_variable *wanted,
			  symbols_data_fn take, void *arg, bool *thread_local)
{
	struct looking look = { .s = s, .wanted = wanted, .take = take, .arg = arg };
	const char *label = NULL;
	unsigned int i;

	for (i = 0; i < s->modules_nr; i++) {
		if (!is_asked(&look, i, label))
			continue;
		take_module(&look, i);
		if (look.nr)
			label = s->modules[i].label;
	}
	if (thread_local)
		*thread_local = !look.nr && look.thread_local;
	return look.nr;
}

bool symbols_engine_data(const struct symbols *s, const char *name)
{
	const struct symbols_variable wanted = { .name = name };
	struct looking look = { .s = s, .wanted = &wanted };
	unsigned int i;

	for (i = 0; i < s->modules_nr && !look.nr; i++)
		if (s->modules[i].engine && s->modules[i].owner[0])
			take_module(&look, i);
	return look.nr;
}
