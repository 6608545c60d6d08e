/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * scopes.c - which variable, map or expression a name means here.
 *
 * Owns: f->bindings, the names that are declared where the parser is: by let, and as the
 * parameters of a macro.  The newest is first.  A variable that nothing declares belongs to
 * its clause; one of a macro to that use of the macro.
 */
#include "parse.h"

#include <string.h>

struct binding {
	struct binding *next;
	const char *name;		/* "$x", "@x", "x" */
	struct expr *is;		/* what a macro was given for it; NULL: a variable */
	uint32_t scope;
};

static struct binding *add(struct front *f, const char *name)
{
	struct binding *b = front_alloc(f, sizeof(*b));

	b->name = name;
	b->next = f->bindings;
	f->bindings = b;
	return b;
}

void scope_declare(struct front *f, const char *name)
{
	add(f, name)->scope = ++f->scopes;
}

void scope_give(struct front *f, const char *name, struct expr *is)
{
	add(f, name)->is = is;
}

struct scope scope_enter(struct front *f, bool apart)
{
	struct scope outer = { f->bindings, f->scope };

	if (apart) {
		f->bindings = NULL;
		f->scope = ++f->scopes;
	}
	return outer;
}

void scope_leave(struct front *f, struct scope outer)
{
	f->bindings = outer.bindings;
	f->scope = outer.scope;
}

static const struct binding *find(const struct front *f, const char *name)
{
	const struct binding *b;

	for (b = f->bindings; b; b = b->next)
		if (!strcmp(b->name, name))
			return b;
	return NULL;
}

struct expr *scope_given(const struct front *f, const char *name)
{
	const struct binding *b = find(f, name);

	return b ? b->is : NULL;
}

void scope_name_var(const struct front *f, struct expr *e)
{
	const struct binding *b = find(f, e->name);

	e->scope = b ? b->scope : f->scope;
	if (b && b->is) {
		e->name = b->is->name;
		e->scope = b->is->scope;
	}
}
