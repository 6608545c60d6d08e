// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * marks.c - the instruction set at an address, and data among code.
 *
 * Owns: the marks of two sets ($a, $t and $d) in symbol tables.  If a table has none, a
 * function is of the set that its own symbol says.
 */
#include "symbols.h"

#include <stdlib.h>
#include <string.h>

/* "$t", "$t.12" */
bool symbols_add_mark(struct symbols *s, const char *name, uint64_t addr)
{
	struct symbol_mark *more;
	size_t room;

	if (name[0] != '$' || !name[1] || !strchr("atd", name[1]) || (name[2] && name[2] != '.'))
		return false;
	if (s->marks_nr == s->marks_room) {
		room = s->marks_room ? 2 * s->marks_room : 1024;
		more = realloc(s->marks, room * sizeof(*more));
		if (!more)
			return true;
		s->marks = more;
		s->marks_room = room;
	}
	s->marks[s->marks_nr++] = (struct symbol_mark){ addr, name[1] };
	return true;
}

static int by_address(const void *left, const void *right)
{
	const struct symbol_mark *a = left, *b = right;

	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

void symbols_sort_marks(struct symbols *s)
{
	if (s->marks_nr)
		qsort(s->marks, s->marks_nr, sizeof(*s->marks), by_address);
}

char symbols_mark_at(const struct symbols *s, const struct symbol *fn, uint64_t addr,
		     uint64_t *until)
{
	size_t low = 0, high = s->marks_nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->marks[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	*until = low < s->marks_nr ? s->marks[low].addr : ~0ull;
	if (low && s->marks[low - 1].addr >= fn->addr)
		return s->marks[low - 1].kind;
	return fn->second ? 't' : 'a';
}
