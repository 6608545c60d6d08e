/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ctypes.c - C's types by name.
 *
 * Owns: struct cname, the names of a script's own structures, enums and typedefs.
 * They come first; trace_env.type() knows the others.
 */
#include "ctypes.h"

#include "kt_regs.h"

#include <string.h>

/* "struct x", or a typedef's name. */
struct cname {
	struct cname *next;
	const char *name;
	const struct ctype *type;
};

const struct ctype *ctype_int(struct front *f, const char *name, uint32_t size,
			      bool sign)
{
	struct ctype *c = front_alloc(f, sizeof(*c));

	*c = (struct ctype){ .kind = CTYPE_INT, .name = name, .size = size,
			     .sign = sign };
	return c;
}

const struct ctype *ctype_pointer(struct front *f, const struct ctype *to)
{
	struct ctype *c = front_alloc(f, sizeof(*c));

	*c = (struct ctype){ .kind = CTYPE_POINTER, .name = "", .size = KT_WORD,
			     .to = to };
	return c;
}

const struct ctype *ctype_own(struct front *f, const char *name)
{
	struct cname *n;

	for (n = f->cnames; n; n = n->next)
		if (!strcmp(n->name, name))
			return n->type;
	return NULL;
}

const struct ctype *ctype_named(struct front *f, const char *name)
{
	const struct ctype *c = ctype_own(f, name);

	if (!c && f->env->type)
		c = f->env->type(f->env->arg, name);
	return c;
}

void ctype_add(struct front *f, const char *name, const struct ctype *type)
{
	struct cname *n = front_alloc(f, sizeof(*n));

	n->name = name;
	n->type = type;
	n->next = f->cnames;
	f->cnames = n;
}

const struct ctype *ctype_whole(struct front *f, const struct ctype *c)
{
	const struct ctype *whole;

	if (!c || !c->incomplete)
		return c;
	whole = ctype_named(f, c->name);
	return whole && !whole->incomplete ? whole : c;
}

static const struct cfield *field_in(struct front *f, const struct ctype *c,
				     const char *name, uint64_t *offset, int depth)
{
	const struct cfield *field;
	uint64_t inner;
	uint32_t i;

	c = ctype_whole(f, c);
	if (!c || c->kind != CTYPE_STRUCT || depth > CTYPE_DEPTH)
		return NULL;
	for (i = 0; i < c->fields_nr; i++) {
		if (c->fields[i].name[0] && !strcmp(c->fields[i].name, name)) {
			*offset += c->fields[i].offset;
			return &c->fields[i];
		}
		if (c->fields[i].name[0])
			continue;
		inner = *offset + c->fields[i].offset;
		field = field_in(f, c->fields[i].type, name, &inner, depth + 1);
		if (field) {
			*offset = inner;
			return field;
		}
	}
	return NULL;
}

const struct cfield *ctype_field(struct front *f, const struct ctype *c,
				 const char *name, uint64_t *offset)
{
	return field_in(f, c, name, offset, 0);
}

bool ctype_constant(struct front *f, const char *name, int64_t *value,
		    const struct ctype **type)
{
	struct cname *n;
	uint32_t i;

	*type = NULL;
	for (n = f->cnames; n; n = n->next) {
		if (n->type->kind != CTYPE_ENUM)
			continue;
		for (i = 0; i < n->type->fields_nr; i++)
			if (!strcmp(n->type->fields[i].name, name)) {
				*value = n->type->values[i];
				*type = n->type;
				return true;
			}
	}
	if (f->env->constant && f->env->constant(f->env->arg, name, value, type))
		return true;
	return constant_known(name, value);
}
