// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * lines.c - the instructions of a source line.
 *
 * Owns: the choice.  A line without code means the next one that has some.  In each function,
 * and in each of its inlined copies, the line is probed once, where it begins.
 */
#include "dwarf.h"

#include "dies.h"

#include <dwarf.h>
#include <string.h>

#define PLACES_MAX 1024			/* in a unit */

struct place {
	Dwarf_Addr addr;
	const void *owner;		/* the function's entry in memory, or NULL */
	const char *function;
	bool inlined;
};

struct search {
	struct names *names;
	const char *file;
	int line;			/* wanted; then the one that is taken */
	Dwarf_Addr bias;
	struct place places[PLACES_MAX];
	uint32_t nr;
};

/* "src/file.c" is what ends so, behind a slash. */
static bool is_file(const char *path, const char *file)
{
	size_t len = strlen(path), want = strlen(file);

	return len >= want && !strcmp(path + len - want, file) &&
	       (len == want || path[len - want - 1] == '/');
}

static bool has_file(Dwarf_Die *unit, const char *file)
{
	Dwarf_Files *files;
	size_t nr, i;

	if (dwarf_getsrcfiles(unit, &files, &nr))
		return false;
	for (i = 0; i < nr; i++) {
		const char *path = dwarf_filesrc(files, i, NULL, NULL);

		if (path && is_file(path, file))
			return true;
	}
	return false;
}

/* The next statement of the file from *i on. */
static bool next_line(const struct search *s, Dwarf_Lines *lines, size_t nr,
		      size_t *i, int *number, Dwarf_Addr *addr)
{
	while (*i < nr) {
		Dwarf_Line *line = dwarf_onesrcline(lines, (*i)++);
		const char *path;
		bool begins, ends;

		if (!line || dwarf_linebeginstatement(line, &begins) ||
		    !begins || dwarf_lineendsequence(line, &ends) || ends ||
		    dwarf_lineno(line, number) || dwarf_lineaddr(line, addr))
			continue;
		path = dwarf_linesrc(line, NULL, NULL);
		if (path && is_file(path, s->file))
			return true;
	}
	return false;
}

static void nearest(const struct search *s, Dwarf_Die *unit, int *best)
{
	Dwarf_Lines *lines;
	Dwarf_Addr addr;
	size_t nr, i = 0;
	int number;

	if (dwarf_getsrclines(unit, &lines, &nr))
		return;
	while (next_line(s, lines, nr, &i, &number, &addr))
		if (number >= s->line && (!*best || number < *best))
			*best = number;
}

static bool enter(void *arg, Dwarf_Die *die, unsigned int depth)
{
	struct search *s = arg;
	int tag = dwarf_tag(die);
	uint32_t i, nr = 0;

	(void)depth;
	if (tag == DW_TAG_namespace || tag == DW_TAG_structure_type ||
	    tag == DW_TAG_class_type)
		return true;
	if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine &&
	    tag != DW_TAG_lexical_block)
		return false;
	for (i = 0; i < s->nr; i++) {
		struct place *place = &s->places[i];

		if (dwarf_haspc(die, place->addr) <= 0)
			continue;
		nr++;
		if (tag == DW_TAG_lexical_block)
			continue;
		place->owner = die->addr;
		place->function = entry_function_name(die);
		place->inlined = tag == DW_TAG_inlined_subroutine;
	}
	return nr;
}

static bool is_first(const struct search *s, uint32_t i)
{
	const struct place *place = &s->places[i];
	uint32_t k;

	for (k = 0; k < s->nr; k++) {
		const struct place *other = &s->places[k];

		if (other->owner == place->owner &&
		    (other->addr < place->addr ||
		     (other->addr == place->addr && k < i)) &&
		    (place->owner || other->addr == place->addr))
			return false;
	}
	return true;
}

static int take_unit(struct search *s, Dwarf_Die *unit,
		     void (*take)(void *arg, const struct names_line *line),
		     void *arg)
{
	struct names_line found = { .line = s->line };
	Dwarf_Lines *lines;
	Dwarf_Die whole;
	Dwarf_Addr addr;
	size_t nr, i = 0;
	uint32_t k;
	int number, taken = 0;

	if (dwarf_getsrclines(unit, &lines, &nr))
		return 0;
	s->nr = 0;
	while (s->nr < PLACES_MAX &&
	       next_line(s, lines, nr, &i, &number, &addr))
		if (number == s->line)
			s->places[s->nr++] = (struct place){ .addr = addr };
	if (!s->nr)
		return 0;
	entry_whole_unit(unit, &whole);
	dies_walk(&whole, enter, s);
	for (k = 0; k < s->nr; k++) {
		const struct place *place = &s->places[k];

		if (!is_first(s, k))
			continue;
		found.addr = place->addr + s->bias;
		found.function = place->function ? place->function : "";
		found.inlined = place->inlined;
		take(arg, &found);
		taken++;
	}
	return taken;
}

/* The modules that may have the file, and which of their units. */
struct asked {
	struct search *s;
	const struct dwarf *d;
	int best, units, taken;		/* the line; how many have the file, and were taken */
	void (*take)(void *arg, const struct names_line *line);	/* NULL: the line is sought */
	void *arg;
};

static int ask_module(Dwfl_Module *module, void **unused, const char *name, Dwarf_Addr start,
		      void *arg)
{
	struct asked *asked = arg;
	struct search *s = asked->s;
	Dwarf_Die *unit = NULL;
	struct files files;

	(void)unused;
	(void)name;
	(void)start;
	if (dwarf_is_out(asked->d, module))
		return DWARF_CB_OK;
	files_find(&files, module, s->file);
	while (!files_is_none(&files) && (unit = entry_unit_in(module, unit, &s->bias))) {
		if (!files_has_unit(&files, unit) || !has_file(unit, s->file))
			continue;
		asked->units++;
		if (asked->take)
			asked->taken += take_unit(s, unit, asked->take, asked->arg);
		else
			nearest(s, unit, &asked->best);
	}
	files_free(&files);
	return DWARF_CB_OK;
}

int lines_find(struct names *names, const char *file, int line,
	       void (*take)(void *arg, const struct names_line *line),
	       void *arg, const char **why)
{
	static struct search s;
	struct dwarf *d = names->own;
	struct asked asked = { .s = &s, .d = d, .arg = arg };

	s = (struct search){ .names = names, .file = file, .line = line };
	dwfl_getmodules(d->dwfl, ask_module, &asked, 0);
	if (!asked.best) {
		*why = names_fail(names, asked.units ? "%s has no code at line %d or behind it" :
				  "no debugging information is there of %s: install the -dbgsym package, or compile with -g",
				  file, line);
		return 0;
	}
	s.line = asked.best;
	asked.take = take;
	dwfl_getmodules(d->dwfl, ask_module, &asked, 0);
	return asked.taken;
}
