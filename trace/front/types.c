/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * types.c - types of values: constructed, named, and merged if a map or a variable is used in
 * several ways.
 *
 * Owns: the construction, naming and merging of types.  A merge only ever widens, so checking
 * terminates.
 */
#include "check.h"

#include <string.h>

struct type type_of(struct check *c, enum trace_kind kind, uint32_t size)
{
	return (struct type){ .t = { .kind = kind, .size = size },
			      .user = !c->v->kernel };
}

struct type type_int(struct check *c, uint32_t size, bool sign)
{
	struct type t = type_of(c, TRACE_INT, size);

	t.t.sign = sign;
	return t;
}

struct type type_string(struct check *c, size_t len)
{
	return type_of(c, TRACE_STRING, len > KT_VALUE_MAX ? KT_VALUE_MAX :
		       ROUND8((uint32_t)len));
}

struct type type_of_c(struct check *c, const struct ctype *type, bool user,
		      struct pos pos)
{
	struct type t = type_int(c, 8, type->sign);

	type = ctype_whole(c->f, type);
	t.user = user;
	t.t.c = type;
	switch (type->kind) {
	case CTYPE_INT:
	case CTYPE_ENUM:
		if (type->size != 1 && type->size != 2 && type->size != 4 &&
		    type->size != 8)
			front_fail(c->f, pos, "a value of %llu bytes cannot be computed "
				   "with: use buf() on its address",
				   (unsigned long long)type->size);
		if (type->kind == CTYPE_ENUM)
			t.t.kind = TRACE_ENUM;
		else
			t.t.c = NULL;
		t.t.size = (uint32_t)type->size;
		t.t.sign = type->sign;
		return t;
	case CTYPE_POINTER:
		t.t.kind = TRACE_POINTER;
		return t;
	case CTYPE_ARRAY:
		t.t.kind = (enum trace_kind)TYPE_ARRAY;
		return t;
	case CTYPE_STRUCT:
		t.t.kind = (enum trace_kind)TYPE_STRUCT;
		return t;
	default:
		front_fail(c->f, pos, "there is nothing to read: cast it to a pointer to "
			   "something, as in *(uint64 *)x");
	}
}

bool type_is_number(const struct type *t)
{
	switch (t->t.kind) {
	case TRACE_INT: case TRACE_POINTER: case TRACE_BOOL: case TRACE_ENUM:
		return true;
	default:
		return false;
	}
}

bool type_is_wide(const struct type *t)
{
	switch (t->t.kind) {
	case TRACE_STRING: case TRACE_BUFFER: case TRACE_USYM: case TRACE_USTACK:
	case TRACE_INET: case TRACE_TUPLE: case TRACE_RECORD:
		return true;
	default:
		return false;
	}
}

const struct ctype *type_to(struct front *f, const struct type *t)
{
	const struct ctype *c = t->t.c;

	if ((t->t.kind != TRACE_POINTER && (int)t->t.kind != TYPE_ARRAY) || !c ||
	    !c->to)
		return NULL;
	return ctype_whole(f, c->to);
}

bool type_is_text(const struct type *t)
{
	const struct ctype *c = t->t.c;

	return (int)t->t.kind == TYPE_ARRAY && c && c->to &&
	       c->to->kind == CTYPE_INT && c->to->size == 1 &&
	       (c->to->sign || !strcmp(c->to->name, "char"));
}

struct type type_kept(struct type t)
{
	const struct ctype *c = t.t.c;

	if (t.t.kind == TRACE_INT || t.t.kind == TRACE_ENUM)
		t.t.size = 8;
	/* What is in memory is copied from there. */
	if ((int)t.t.kind >= TYPE_STRUCT && c && c->size && !c->incomplete &&
	    c->size <= KT_SCRATCH_MAX) {
		t.t.kind = TRACE_RECORD;
		t.t.size = ROUND8((uint32_t)c->size);
	}
	return t;
}

static void lay_tuple(struct type *t)
{
	uint32_t i, at = 0;

	for (i = 0; i < t->t.fields_nr; i++) {
		t->t.fields[i].offset = at;
		at += ROUND8(t->t.fields[i].type.size);
	}
	t->t.size = at;
}

struct type type_tuple(struct check *c, struct expr *const *parts, uint32_t nr,
		       struct pos pos)
{
	struct type t = type_of(c, TRACE_TUPLE, 0);
	uint32_t i;

	t.t.fields = front_alloc(c->f, nr * sizeof(*t.t.fields));
	t.t.fields_nr = nr;
	for (i = 0; i < nr; i++)
		t.t.fields[i].type = type_kept(parts[i]->type).t;
	lay_tuple(&t);
	if (t.t.size > KT_SCRATCH_MAX)
		front_fail(c->f, pos, "this is larger than %u bytes", KT_SCRATCH_MAX);
	return t;
}

struct type type_pair(struct check *c, const struct type *keys, uint32_t keys_nr,
		      const struct type *value)
{
	struct type key = type_of(c, TRACE_TUPLE, 0), t = type_of(c, TRACE_TUPLE, 0);
	uint32_t i;

	key.t.fields = front_alloc(c->f, keys_nr * sizeof(*key.t.fields));
	key.t.fields_nr = keys_nr;
	for (i = 0; i < keys_nr; i++)
		key.t.fields[i].type = keys[i].t;
	lay_tuple(&key);
	t.t.fields = front_alloc(c->f, 2 * sizeof(*t.t.fields));
	t.t.fields_nr = 2;
	t.t.fields[0].type = keys_nr == 1 ? keys[0].t : key.t;
	t.t.fields[1].type = value->t;
	lay_tuple(&t);
	return t;
}

const char *type_name(struct front *f, const struct type *t)
{
	const struct ctype *c = t->t.c;

	switch ((int)t->t.kind) {
	case TRACE_INT: case TRACE_BOOL: return "an integer";
	case TRACE_ENUM: return c ? front_format(f, "a value of %s", c->name) :
			 "an integer";
	case TRACE_POINTER:
		return c && c->to && c->to->name[0] ?
		       front_format(f, "a pointer to %s", c->to->name) : "a pointer";
	case TRACE_STRING: return "a string";
	case TRACE_BUFFER: return "a buffer";
	case TRACE_KSYM: case TRACE_USYM: return "a symbol";
	case TRACE_KSTACK: case TRACE_USTACK: return "a stack";
	case TRACE_INET: return "an address of the network";
	case TRACE_USERNAME: return "a user's name";
	case TRACE_PROBE: return "a probe's name";
	case TRACE_FUNC: return "a function's name";
	case TRACE_TIME: return "a time";
	case TRACE_MAC: return "a MAC address";
	case TRACE_ERRNO: return "an error in words";
	case TRACE_SYSCALL: return "a system call's name";
	case TRACE_SIGNAL_NAME: return "a signal's name";
	case TRACE_TUPLE: return "a tuple";
	case TRACE_RECORD: return c && c->name[0] ? front_format(f, "a %s", c->name) :
				  "an array";
	case TYPE_STRUCT: return c && c->name[0] ? front_format(f, "a %s", c->name) :
				 "a structure";
	case TYPE_ARRAY: return "an array";
	default: return "nothing";
	}
}

static bool merge_numbers(struct type *into, const struct type *from)
{
	if (into->t.kind == TRACE_POINTER || from->t.kind == TRACE_POINTER) {
		const struct ctype *a = into->t.kind == TRACE_POINTER ? into->t.c :
					from->t.c;
		const struct ctype *b = from->t.kind == TRACE_POINTER ? from->t.c : a;

		into->t = (struct trace_type){ .kind = TRACE_POINTER, .size = 8 };
		into->t.c = a == b || (a && b && a->to && b->to && a->to->name[0] &&
				       !strcmp(a->to->name, b->to->name)) ? a : NULL;
		return true;
	}
	if (into->t.kind != from->t.kind || into->t.c != from->t.c) {
		into->t.kind = TRACE_INT;
		into->t.c = NULL;
	}
	if (from->t.size > into->t.size)
		into->t.size = from->t.size;
	into->t.sign |= from->t.sign;
	into->t.own &= from->t.own;
	return true;
}

static bool merge_tuples(struct front *f, struct type *into,
			 const struct type *from)
{
	struct trace_field *fields;
	uint32_t i;

	if (into->t.fields_nr != from->t.fields_nr)
		return false;
	fields = front_alloc(f, into->t.fields_nr * sizeof(*fields));
	for (i = 0; i < into->t.fields_nr; i++) {
		struct type a = { .t = into->t.fields[i].type };
		struct type b = { .t = from->t.fields[i].type };

		if (!type_merge(f, &a, &b))
			return false;
		fields[i].type = a.t;
	}
	into->t.fields = fields;
	lay_tuple(into);
	return true;
}

static bool same_arrays(const struct ctype *a, const struct ctype *b)
{
	return a->kind == CTYPE_ARRAY && b->kind == CTYPE_ARRAY && a->nr == b->nr &&
	       a->to && b->to && a->to->kind == b->to->kind && a->to->size == b->to->size &&
	       a->to->sign == b->to->sign && a->to->kind == CTYPE_INT;
}

static bool merge(struct front *f, struct type *into, const struct type *from)
{
	into->user |= from->user;
	if (type_is_number(into) && type_is_number(from))
		return merge_numbers(into, from);
	if (into->t.kind != from->t.kind)
		return false;
	if (from->t.kind == TRACE_TUPLE)
		return merge_tuples(f, into, from);
	if (from->t.kind == TRACE_RECORD)
		return into->t.c == from->t.c ||
		       (into->t.size == from->t.size && from->t.c->name[0] &&
			!strcmp(into->t.c->name, from->t.c->name)) ||
		       same_arrays(into->t.c, from->t.c);
	if ((int)from->t.kind == TYPE_STRUCT || (int)from->t.kind == TYPE_ARRAY)
		return into->t.c == from->t.c;
	if (from->t.size > into->t.size)
		into->t.size = from->t.size;
	if (from->t.frames > into->t.frames)
		into->t.frames = from->t.frames;
	return true;
}

bool type_merge(struct front *f, struct type *into, const struct type *from)
{
	struct type was = *into;

	if (from->t.kind == TRACE_NONE)
		return true;
	if (into->t.kind == TRACE_NONE)
		*into = *from;
	else if (!merge(f, into, from))
		return false;
	if (was.t.kind != into->t.kind || was.t.size != into->t.size ||
	    was.t.sign != into->t.sign || was.t.own != into->t.own ||
	    was.t.c != into->t.c ||
	    was.t.frames != into->t.frames || was.user != into->user)
		f->changed = true;
	return true;
}
