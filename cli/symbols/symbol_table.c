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

static bool in_order(const struct symbol *all, size_t nr)
{
	size_t i;

	for (i = 1; i < nr; i++)
		if (by_address(&all[i - 1], &all[i]) > 0)
			return false;
	return true;
}

#define DIGIT_BITS 11

struct key {
	uint64_t addr;
	uint32_t at;
};

/* A pass by one digit; what is equal in it keeps its order. */
static void pass(const struct key *from, struct key *to, size_t nr, unsigned int shift)
{
	size_t counts[1u << DIGIT_BITS] = { 0 }, i, sum = 0;
	const uint64_t mask = (1u << DIGIT_BITS) - 1;

	for (i = 0; i < nr; i++)
		counts[from[i].addr >> shift & mask]++;
	for (i = 0; i <= mask; i++) {
		size_t count = counts[i];

		counts[i] = sum;
		sum += count;
	}
	for (i = 0; i < nr; i++)
		to[counts[from[i].addr >> shift & mask]++] = from[i];
}

/* By addresses alone, digit by digit: an object's span few.  False: no memory. */
static bool sort_addresses(struct symbol *all, size_t nr)
{
	struct key *keys = malloc(2 * nr * sizeof(*keys)), *other = keys + nr, *was;
	struct symbol *copy = malloc(nr * sizeof(*copy));
	uint64_t low = all[0].addr, high = low;
	bool sorted = keys && copy;
	unsigned int shift;
	size_t i;

	for (i = 1; i < nr; i++) {
		low = all[i].addr < low ? all[i].addr : low;
		high = all[i].addr > high ? all[i].addr : high;
	}
	was = keys;
	for (i = 0; sorted && i < nr; i++)
		keys[i] = (struct key){ all[i].addr - low, (uint32_t)i };
	for (shift = 0; sorted && shift < 64 && (high - low) >> shift; shift += DIGIT_BITS) {
		struct key *next = was == keys ? other : keys;

		pass(was, next, nr, shift);
		was = next;
	}
	if (sorted) {
		memcpy(copy, all, nr * sizeof(*copy));
		for (i = 0; i < nr; i++)
			all[i] = copy[was[i].at];
	}
	free(keys);
	free(copy);
	return sorted;
}

static void sort(struct symbol *all, size_t nr)
{
	size_t i, end;

	if (in_order(all, nr))
		return;
	if (nr > UINT32_MAX || !sort_addresses(all, nr)) {
		qsort(all, nr, sizeof(*all), by_address);
		return;
	}
	for (i = 0; i < nr; i = end) {
		for (end = i + 1; end < nr && all[end].addr == all[i].addr;)
			end++;
		if (end > i + 1)
			qsort(all + i, end - i, sizeof(*all), by_address);
	}
}

/*
 * Those from first on into order, once each; what has no size reaches to the next.  The
 * objects' addresses follow each other as a rule: the ones before are in their places then.
 */
void symbols_finish(struct symbols *s)
{
	size_t i, next, kept = s->first;

	if (s->nr == s->first)
		return;
	sort(s->all + s->first, s->nr - s->first);
	if (s->first && by_address(&s->all[s->first - 1], &s->all[s->first]) > 0) {
		s->first = kept = 0;
		sort(s->all, s->nr);
	}
	for (i = s->first; i < s->nr; i++) {
		if (kept > s->first && same(&s->all[kept - 1], &s->all[i])) {
			s->all[kept - 1].old &= s->all[i].old;
			free(s->all[i].name);
		} else {
			s->all[kept++] = s->all[i];
		}
	}
	s->nr = kept;
	for (i = next = s->nr; i-- > s->first;) {
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
