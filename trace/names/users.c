// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * users.c - the functions that can reach an object of a type.
 *
 * Owns: names_users.  A function can if one of its parameters or variables, or one that its unit
 * knows, leads to such an object: it is one, contains one, or points to one that does.  Casts of
 * other pointers are not known here, so the list is never proved to be complete.
 */
#include "dwarf.h"

#include "dies.h"

#include <dwarf.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 100

/* A type of a unit, by where its entry stands in our memory. */
struct seen {
	const void *key;
	bool leads, known;		/* known: leads is the answer */
};

struct search {
	const char *type;
	Dwarf_Addr bias;
	void (*take)(void *arg, const struct names_line *line);
	void *arg;
	int taken;
	void *types;			/* a tree of struct seen */
	bool of_all;			/* the unit's variables lead there */
	bool no_memory;
	/* The function that is walked. */
	Dwarf_Die function;
	unsigned int depth;
	bool in_function, leads;
};

/* ---- types ------------------------------------------------------------------------------ */

static int by_key(const void *a, const void *b)
{
	const struct seen *one = a, *other = b;

	return (one->key > other->key) - (one->key < other->key);
}

/* NULL: no memory. */
static struct seen *seen_of(struct search *s, const void *key)
{
	struct seen *fresh = calloc(1, sizeof(*fresh)), **at;

	if (!fresh) {
		s->no_memory = true;
		return NULL;
	}
	fresh->key = key;
	at = tsearch(fresh, &s->types, by_key);
	if (!at)
		s->no_memory = true;
	if (!at || *at != fresh)
		free(fresh);
	return at ? *at : NULL;
}

static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attribute;

	if (!dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attribute), type))
		return false;
	entry_follow(type);
	return true;
}

static bool leads(struct search *s, Dwarf_Die *type, unsigned int depth);

static bool member_leads(struct search *s, Dwarf_Die *type, unsigned int depth)
{
	Dwarf_Die child, member;
	bool more;

	for (more = dies_first(type, &child); more; more = dies_next(&child)) {
		int tag = dwarf_tag(&child);

		if ((tag == DW_TAG_member || tag == DW_TAG_inheritance) &&
		    type_of(&child, &member) && leads(s, &member, depth))
			return true;
	}
	return false;
}

static bool look(struct search *s, Dwarf_Die *type, unsigned int depth)
{
	const char *name = dwarf_diename(type);
	int tag = dwarf_tag(type);
	Dwarf_Die next;

	switch (tag) {
	case DW_TAG_structure_type: case DW_TAG_class_type: case DW_TAG_union_type:
		return (name && !strcmp(name, s->type)) ||
		       member_leads(s, type, depth);
	case DW_TAG_typedef:
		if (name && !strcmp(name, s->type))
			return true;
		break;
	case DW_TAG_base_type: case DW_TAG_enumeration_type:
	case DW_TAG_subroutine_type:
		return false;
	}
	return type_of(type, &next) && leads(s, &next, depth);
}

/*
 * One that is on the way leads nowhere else than what is asked anyway.  A no is
 * known when the whole way was a no: forget_no makes the others be asked again.
 */
static bool leads(struct search *s, Dwarf_Die *type, unsigned int depth)
{
	struct seen *seen = seen_of(s, type->addr);

	if (!seen || seen->known || depth > DEPTH_MAX)
		return seen && seen->leads;
	seen->known = true;
	seen->leads = look(s, type, depth + 1);
	return seen->leads;
}

static void forget_no(const void *node, VISIT which, int level)
{
	struct seen *seen = *(struct seen *const *)node;

	(void)level;
	if ((which == postorder || which == leaf) && !seen->leads)
		seen->known = false;
}

static bool variable_leads(struct search *s, Dwarf_Die *die)
{
	struct seen *seen;
	Dwarf_Die type;

	seen = type_of(die, &type) ? seen_of(s, type.addr) : NULL;
	if (!seen || seen->known)
		return seen && seen->leads;
	if (!leads(s, &type, 0))
		return false;
	/* What was a no on the way may have been cut short by the way itself. */
	twalk(s->types, forget_no);
	return true;
}

/* ---- functions ------------------------------------------------------------------------------ */

static bool is_variable(int tag)
{
	return tag == DW_TAG_variable || tag == DW_TAG_formal_parameter;
}

/* The one that was walked is over. */
static void take_function(struct search *s)
{
	struct names_line line = { 0 };
	Dwarf_Addr base, begin, end;
	ptrdiff_t at = 0;

	if (!s->in_function || !(s->leads || s->of_all))
		return;
	line.function = entry_function_name(&s->function);
	/* What is seldom executed is a piece of its own. */
	while ((at = dwarf_ranges(&s->function, at, &base, &begin, &end)) > 0) {
		line.addr = begin + s->bias;
		s->take(s->arg, &line);
		s->taken++;
	}
}

static bool enter_function(struct search *s, Dwarf_Die *die, unsigned int depth)
{
	Dwarf_Addr base, begin, end;

	if (s->in_function && depth > s->depth)
		return false;
	take_function(s);
	s->in_function = dwarf_ranges(die, 0, &base, &begin, &end) > 0;
	s->function = *die;
	s->depth = depth;
	s->leads = false;
	return s->in_function;
}

static bool enter(void *arg, Dwarf_Die *die, unsigned int depth)
{
	struct search *s = arg;
	int tag = dwarf_tag(die);

	if (tag == DW_TAG_subprogram)
		return enter_function(s, die, depth);
	if (is_variable(tag) && s->in_function && depth > s->depth)
		s->leads = s->leads || variable_leads(s, die);
	return tag == DW_TAG_namespace || tag == DW_TAG_lexical_block ||
	       tag == DW_TAG_inlined_subroutine;
}

/* Those that are declared only are used, too. */
static bool enter_unit(void *arg, Dwarf_Die *die, unsigned int depth)
{
	struct search *s = arg;

	(void)depth;
	if (is_variable(dwarf_tag(die)))
		s->of_all = s->of_all || variable_leads(s, die);
	return dwarf_tag(die) == DW_TAG_namespace;
}

static void take_unit(struct search *s, Dwarf_Die *unit)
{
	Dwarf_Die whole;

	s->of_all = s->in_function = false;
	s->types = NULL;
	entry_whole_unit(unit, &whole);
	dies_walk(&whole, enter_unit, s);
	dies_walk(&whole, enter, s);
	take_function(s);
	tdestroy(s->types, free);
}

int users_find(struct names *names, const char *type,
	       void (*take)(void *arg, const struct names_line *line), void *arg,
	       const char **why)
{
	struct search s = { .type = type, .take = take, .arg = arg };
	struct dwarf *d = names->own;
	Dwarf_Die *unit = NULL;
	int units = 0;

	while ((unit = entry_unit_after(d, unit, &s.bias))) {
		units++;
		take_unit(&s, unit);
	}
	*why = s.no_memory ? "out of memory" : names_fail(names, units ?
		"no function has anything to do with a type %s" :
		"no debugging information is there that knows a type %s: install the -dbgsym package, or compile with -g",
		type);
	return s.no_memory ? 0 : s.taken;
}
