// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * symbol_table.c - functions in the order of their addresses.
 *
 * Owns: the list of functions of struct symbols, and of the modules that they are in: how it is
 * filled, by the files that read names (symbols.h), and which function an address lies in.
 */
#include "cli.h"
#include "symbols.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Functions that nest or share bytes are few and close by. */
#define NEAR 64

int symbols_fail(struct symbols *s, int err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(s->error, sizeof(s->error), fmt, args);
	va_end(args);
	return err;
}

int symbols_add(struct symbols *s, const char *name, uint64_t addr,
		uint64_t size, unsigned int module, uint8_t rank)
{
	struct symbol *sym;

	if (s->nr == s->room) {
		size_t room = s->room ? s->room * 2 : 4096;
		void *all = realloc(s->all, room * sizeof(*s->all));

		if (!all)
			return -ENOMEM;
		s->all = all;
		s->room = room;
	}
	sym = &s->all[s->nr];
	/* A name is what a file says: as it may be shown. */
	*sym = (struct symbol){ .name = cli_escaped(name), .addr = addr,
				.size = size, .module = module, .rank = rank };
	if (!sym->name)
		return -ENOMEM;
	s->nr++;
	return 0;
}

int symbols_add_module(struct symbols *s, Dwfl_Module *dwfl, const char *owner,
		       const char *label)
{
	struct symbol_module *m;

	m = realloc(s->modules, (s->modules_nr + 1) * sizeof(*m));
	if (!m)
		return -ENOMEM;
	s->modules = m;
	m += s->modules_nr++;
	*m = (struct symbol_module){ .dwfl = dwfl, .owner = cli_escaped(owner),
				     .label = cli_escaped(label) };
	return m->owner && m->label ? (int)s->modules_nr - 1 : -ENOMEM;
}

static int by_address(const void *left, const void *right)
{
	const struct symbol *a = left, *b = right;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank - b->rank;
	return strcmp(a->name, b->name);
}

static bool same(const struct symbol *a, const struct symbol *b)
{
	return a->addr == b->addr && a->module == b->module &&
	       !strcmp(a->name, b->name);
}

/* Into order, once each; what has no size reaches to the next. */
void symbols_finish(struct symbols *s)
{
	size_t i, next, kept = 0;

	if (!s->nr)
		return;
	qsort(s->all, s->nr, sizeof(*s->all), by_address);
	for (i = 0; i < s->nr; i++) {
		if (kept && same(&s->all[kept - 1], &s->all[i])) {
			s->all[kept - 1].old &= s->all[i].old;
			free(s->all[i].name);
		} else {
			s->all[kept++] = s->all[i];
		}
	}
	s->nr = kept;
	for (i = next = s->nr; i-- > 0;) {
		if (i + 1 < s->nr && s->all[i + 1].addr != s->all[i].addr)
			next = i + 1;
		if (!s->all[i].size && next < s->nr &&
		    s->all[next].module == s->all[i].module)
			s->all[i].size = s->all[next].addr - s->all[i].addr;
	}
}

/* ---- asking ---------------------------------------------------------------- */

static bool contains(const struct symbol *sym, uint64_t addr)
{
	return addr - sym->addr < sym->size || addr == sym->addr;
}

const struct symbol *symbols_at(const struct symbols *s, uint64_t addr)
{
	const struct symbol *best = NULL;
	size_t low = symbols_up_to(s, s->nr, addr), tries;

	for (tries = 0; low-- > 0 && tries < NEAR; tries++) {
		const struct symbol *sym = &s->all[low];

		/* A label is worth less than the function around it. */
		if (best && sym->addr != best->addr && best->rank < 8)
			break;
		if (contains(sym, addr) && (!best || sym->rank < best->rank ||
					    (sym->addr == best->addr &&
					     sym->rank == best->rank)))
			best = sym;
	}
	return best;
}

bool symbols_knows(const struct symbols *s, size_t nr, uint64_t addr)
{
	size_t low = symbols_up_to(s, nr, addr), tries;

	for (tries = 0; low-- > 0 && tries < 16; tries++)
		if (addr - s->all[low].addr < s->all[low].size &&
		    s->all[low].rank < 8)
			return true;
	return false;
}

bool symbols_is_engine(const struct symbols *s, const struct symbol *sym)
{
	const struct symbol_module *m = &s->modules[sym->module];

	return sym->addr >= m->engine && sym->addr < m->engine_end;
}
