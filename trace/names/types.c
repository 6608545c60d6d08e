// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * types.c - C types, made on demand.
 *
 * Owns: one struct ctype for each key of the source.  What a structure contains is made with it.
 * What it points to remains incomplete until its name is used.  Sources may lie: nesting is
 * bounded, and a structure that contains itself stays incomplete there.
 */
#include "own.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 64

struct own_type {
	struct ctype c;
	uint64_t key;
	bool busy;			/* its fields are made now */
	bool unknown;			/* the source does not have its fields */
};

static const struct ctype none = { .kind = CTYPE_VOID, .name = "void" };

/* ---- one type for a key --------------------------------------------------------------- */

/* Its place in the table: it, or NULL where it belongs. */
static struct own_type **slot_of(struct own_type **types, size_t room,
				 uint64_t key)
{
	size_t at = (size_t)(key * 0x9E3779B97F4A7C15ull >> 20) & (room - 1);

	while (types[at] && types[at]->key != key)
		at = (at + 1) & (room - 1);
	return &types[at];
}

static int grow(struct names *names)
{
	size_t room = names->types_room ? names->types_room * 2 : 1024, i;
	struct own_type **types = calloc(room, sizeof(*types));

	if (!types)
		return -ENOMEM;
	for (i = 0; i < names->types_room; i++)
		if (names->types[i])
			*slot_of(types, room, names->types[i]->key) =
				names->types[i];
	free(names->types);
	names->types = types;
	names->types_room = room;
	return 0;
}

/* NULL: no memory.  A new one is void. */
static struct own_type *take(struct names *names, uint64_t key)
{
	struct own_type **slot, *type;

	if (names->types_nr * 2 >= names->types_room && grow(names))
		return NULL;
	slot = slot_of(names->types, names->types_room, key);
	if (*slot)
		return *slot;
	type = names_alloc(names, sizeof(*type));
	if (!type)
		return NULL;
	type->c = none;
	type->key = key;
	names->types_nr++;
	return *slot = type;
}

/*
 * Behind other names: the type that is meant.  *alias is the last name for one that
 * has none of its own.
 */
static uint64_t meant(struct names *names, uint64_t key, struct raw_type *raw,
		      const char **alias)
{
	unsigned int steps;

	*alias = "";
	for (steps = 0; key && steps < DEPTH_MAX; steps++) {
		*raw = (struct raw_type){ .kind = RAW_VOID, .tag = "",
					  .name = "" };
		names->source->read(names, key, raw);
		if (raw->kind != RAW_ALIAS)
			return key;
		if (*raw->name)
			*alias = raw->name;
		key = raw->to;
	}
	*raw = (struct raw_type){ .kind = RAW_VOID, .tag = "", .name = "" };
	return 0;
}

static const char *full_name(struct names *names, const struct raw_type *raw,
			     const char *alias)
{
	char text[512];

	if (!*raw->name)
		return names_text(names, alias);
	if (!*raw->tag)
		return names_text(names, raw->name);
	snprintf(text, sizeof(text), "%s %s", raw->tag, raw->name);
	return names_text(names, text);
}

/* ---- fields ------------------------------------------------------------------------------ */

static uint32_t int_size(uint32_t bits)
{
	return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
}

/*
 * A bit-field lies in a unit of its type, unless the structure is packed: then in the
 * smallest integer that holds it.
 */
static bool place_bits(struct names *names, const struct raw_member *raw,
		       uint64_t struct_size, struct cfield *field)
{
	uint64_t unit = field->type->size * 8, start;
	struct ctype *narrow;

	field->bits = raw->bits;
	start = unit ? raw->bit / unit * unit : 0;
	if (unit && unit <= 64 && raw->bit - start + raw->bits <= unit &&
	    (start + unit) / 8 <= struct_size) {
		field->offset = (uint32_t)(start / 8);
		field->bit = (uint32_t)(raw->bit - start);
		return true;
	}
	field->offset = (uint32_t)(raw->bit / 8);
	field->bit = raw->bit % 8;
	narrow = names_alloc(names, sizeof(*narrow));
	if (!narrow || raw->bits > 64 || field->bit + raw->bits > 64)
		return false;
	*narrow = (struct ctype){ .kind = CTYPE_INT, .name = field->type->name,
				  .size = int_size(field->bit + raw->bits),
				  .sign = field->type->sign };
	field->type = narrow;
	return true;
}

static const struct ctype *make(struct names *names, uint64_t key, bool whole);

static bool take_field(struct names *names, const struct raw_member *raw,
		       uint64_t struct_size, struct cfield *field)
{
	if (raw->bit / 8 > UINT32_MAX)
		return false;
	*field = (struct cfield){ .name = names_text(names, raw->name),
				  .type = make(names, raw->type, true),
				  .offset = (uint32_t)(raw->bit / 8) };
	if (raw->bits)
		return place_bits(names, raw, struct_size, field);
	return raw->bit % 8 == 0;
}

static void complete_struct(struct names *names, struct own_type *type,
			    const struct raw_type *raw)
{
	struct raw_member member;
	struct cfield *fields;
	uint32_t i, nr = 0;

	if (raw->declared) {
		type->unknown = true;
		return;
	}
	fields = names_alloc(names, (size_t)raw->members * sizeof(*fields));
	if (!fields && raw->members)
		return;
	type->busy = true;
	for (i = 0; i < raw->members; i++) {
		if (!names->source->member(names, type->key, i, &member))
			continue;
		nr += take_field(names, &member, raw->size, &fields[nr]);
	}
	type->busy = false;
	type->c.fields = fields;
	type->c.fields_nr = nr;
	type->c.incomplete = false;
}

static void complete_enum(struct names *names, struct own_type *type,
			  const struct raw_type *raw)
{
	struct raw_member member;
	struct cfield *fields;
	int64_t *values;
	uint32_t i, nr = 0;

	fields = names_alloc(names, (size_t)raw->members * sizeof(*fields));
	values = names_alloc(names, (size_t)raw->members * sizeof(*values));
	if (!fields || !values)
		return;
	for (i = 0; i < raw->members; i++) {
		if (!names->source->member(names, type->key, i, &member))
			continue;
		fields[nr].name = names_text(names, member.name);
		fields[nr].type = &type->c;
		values[nr++] = member.value;
	}
	type->c.fields = fields;
	type->c.values = values;
	type->c.fields_nr = nr;
}

/* ---- making ------------------------------------------------------------------------------- */

const struct ctype *names_pointer(struct names *names, const struct ctype *to)
{
	struct ctype *type = names_alloc(names, sizeof(*type));

	if (!type)
		return &none;
	*type = (struct ctype){ .kind = CTYPE_POINTER, .name = "", .size = KT_WORD,
				.to = to };
	return type;
}

static void make_array(struct names *names, struct ctype *type,
		       const struct raw_type *raw)
{
	const struct ctype *of = make(names, raw->to, true);
	uint32_t i;

	for (i = raw->dimensions; i > 0; i--) {
		struct ctype *array = i == 1 ? type :
				      names_alloc(names, sizeof(*array));

		if (!array)
			return;
		*array = (struct ctype){ .kind = CTYPE_ARRAY, .name = "",
					 .to = of, .nr = raw->nr[i - 1],
					 .vector = raw->vector };
		if (__builtin_mul_overflow(of->size, array->nr, &array->size))
			array->size = array->nr = 0;
		of = array;
	}
}

static void fill(struct names *names, struct own_type *type,
		 const struct raw_type *raw, const char *alias)
{
	struct ctype *c = &type->c;

	c->name = full_name(names, raw, alias);
	c->size = raw->size;
	c->sign = raw->sign;
	c->complex = raw->complex;
	c->aligned = raw->aligned;
	switch (raw->kind) {
	case RAW_INT:
		c->kind = CTYPE_INT;
		break;
	case RAW_POINTER:
		c->kind = CTYPE_POINTER;
		c->to = make(names, raw->to, false);
		break;
	case RAW_ARRAY:
		c->vector = raw->vector;
		make_array(names, c, raw);
		break;
	case RAW_STRUCT:
		c->kind = CTYPE_STRUCT;
		c->incomplete = true;
		break;
	case RAW_ENUM:
		c->kind = CTYPE_ENUM;
		complete_enum(names, type, raw);
		break;
	case RAW_FUNCTION:
		c->kind = CTYPE_FUNCTION;
		break;
	default:			/* void, and what no integer can hold */
		break;
	}
}

/* A structure whose name leads nowhere else is made whole at once. */
static const struct ctype *make(struct names *names, uint64_t key, bool whole)
{
	struct own_type *type;
	struct raw_type raw;
	const char *alias;
	bool new;

	key = meant(names, key, &raw, &alias);
	if (!key || names->depth >= DEPTH_MAX)
		return &none;
	type = take(names, key);
	if (!type)
		return &none;
	new = type->c.name == none.name;
	names->depth++;
	if (new)
		fill(names, type, &raw, alias);
	if (type->c.incomplete && !type->busy && !type->unknown &&
	    (whole || raw.homonym || !*type->c.name))
		complete_struct(names, type, &raw);
	names->depth--;
	return &type->c;
}

const struct ctype *names_type_of(struct names *names, uint64_t key)
{
	return make(names, key, true);
}
