/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ctypes_define.c - the structures, enums and typedefs that a script defines.
 *
 * Owns: where their fields are: as the psABI of x86-64 lays them out.
 */
#include "ctypes.h"

#define CTYPE_FIELDS 4096
#define CTYPE_SIZE (1u << 30)

struct layout {
	struct cfield *fields;
	uint32_t nr, room;
	uint64_t size;			/* by now */
	uint64_t bits;			/* of it; behind the last bit-field */
	uint32_t align;
	bool is_union, packed;
};

static uint32_t align_of(struct front *f, const struct ctype *c, int depth)
{
	uint32_t align = 1, a, i;

	c = ctype_whole(f, c);
	while (c->kind == CTYPE_ARRAY && c->to)
		c = ctype_whole(f, c->to);
	if (c->kind != CTYPE_STRUCT)
		return c->size == 2 || c->size == 4 || c->size == 8 ?
		       (uint32_t)c->size : 1;
	for (i = 0; i < c->fields_nr && depth < CTYPE_DEPTH; i++) {
		a = align_of(f, c->fields[i].type, depth + 1);
		if (a > align)
			align = a;
	}
	return align;
}

static void place_bits(struct layout *l, struct cfield *field, uint32_t size)
{
	uint64_t at = l->is_union ? 0 : l->bits, unit = size * 8ull;

	if (!field->bits || (at % unit) + field->bits > unit)
		at = (at + unit - 1) / unit * unit;
	field->offset = (uint32_t)(at / unit * size);
	field->bit = (uint32_t)(at % unit);
	l->bits = at + field->bits;
	if ((l->bits + 7) / 8 > l->size)
		l->size = (l->bits + 7) / 8;
}

static void place_field(struct lex *lex, struct layout *l, struct cfield field,
			bool is_bits, struct pos pos)
{
	uint32_t align = l->packed ? 1 : align_of(lex->f, field.type, 0);
	uint64_t at = l->is_union ? 0 : (l->bits + 7) / 8;
	const struct ctype *c = ctype_whole(lex->f, field.type);

	if (c->incomplete || c->kind == CTYPE_VOID || c->kind == CTYPE_FUNCTION)
		fail(lex->f, pos, "what %s is made of is not known: define it above",
		     field.name);
	if (align > l->align)
		l->align = align;
	if (is_bits) {
		place_bits(l, &field, (uint32_t)c->size);
	} else {
		at = (at + align - 1) / align * align;
		field.offset = (uint32_t)at;
		l->bits = (at + c->size) * 8;
		if (at + c->size > l->size)
			l->size = at + c->size;
	}
	if (l->size > CTYPE_SIZE || l->nr == CTYPE_FIELDS)
		fail(lex->f, pos, "this structure is too large");
	if (is_bits && (!field.name[0] || !field.bits))
		return;
	l->fields = get_room(lex->f, l->fields, l->nr, &l->room, sizeof(field));
	l->fields[l->nr++] = field;
}

static int64_t parse_number(struct lex *lex)
{
	struct pos pos = lex->token.pos;
	bool minus = parse_take(lex, '-');
	int64_t value;

	if (lex->token.kind == T_INT)
		value = lex->token.value;
	else if (lex->token.kind != T_NAME ||
		 !ctype_constant(lex->f, lex->token.text, &value))
		fail(lex->f, pos, "a number is expected here");
	lex_next(lex);
	return minus ? (int64_t)-(uint64_t)value : value;
}

/* "[4][2]": the first one is outermost. */
static const struct ctype *parse_arrays(struct lex *lex, const struct ctype *c,
					int depth)
{
	struct pos pos = lex->token.pos;
	struct ctype *array;
	int64_t nr;

	if (!parse_take(lex, '['))
		return c;
	nr = parse_is(lex, ']') ? 0 : parse_number(lex);
	parse_want(lex, ']', "]");
	if (depth > CTYPE_DEPTH)
		fail(lex->f, pos, "this is nested too deeply");
	c = parse_arrays(lex, c, depth + 1);
	if (nr < 0 || nr > (int64_t)CTYPE_SIZE ||
	    (uint64_t)nr * ctype_whole(lex->f, c)->size > CTYPE_SIZE)
		fail(lex->f, pos, "this array is too large");
	array = get(lex->f, sizeof(*array));
	*array = (struct ctype){ .kind = CTYPE_ARRAY, .name = "", .to = c,
				 .nr = (uint64_t)nr,
				 .size = (uint64_t)nr * ctype_whole(lex->f, c)->size };
	return array;
}

/* A pointer to a function: what it is given does not matter. */
static const struct ctype *parse_function(struct lex *lex, const char **name)
{
	struct ctype *function = get(lex->f, sizeof(*function));
	int depth = 1;

	parse_want(lex, '(', "(");
	parse_want(lex, '*', "*");
	if (lex->token.kind == T_NAME) {
		*name = lex->token.text;
		lex_next(lex);
	}
	parse_want(lex, ')', ")");
	parse_want(lex, '(', "(");
	while (depth && lex->token.kind != T_END) {
		depth += parse_is(lex, '(');
		depth -= parse_is(lex, ')');
		lex_next(lex);
	}
	function->kind = CTYPE_FUNCTION;
	function->name = "";
	return ctype_pointer(lex->f, function);
}

/* __attribute__((packed)) */
static bool parse_attribute(struct lex *lex)
{
	bool packed = false;
	int depth = 0;

	while (parse_is_name(lex, "__attribute__")) {
		do {
			lex_next(lex);
			packed |= parse_is_name(lex, "packed") ||
				  parse_is_name(lex, "__packed__");
			depth += parse_is(lex, '(');
			depth -= parse_is(lex, ')');
		} while (depth && lex->token.kind != T_END);
		lex_next(lex);
	}
	return packed;
}

static void parse_field(struct lex *lex, struct layout *l, int depth)
{
	const struct ctype *base = ctype_base(lex, depth);

	do {
		struct cfield field = { .name = "" };
		struct pos pos = lex->token.pos;
		bool is_bits = false;

		while (parse_is_name(lex, "const") || parse_is_name(lex, "volatile"))
			lex_next(lex);
		field.type = ctype_stars(lex, base);
		if (parse_is(lex, '(')) {
			field.type = parse_function(lex, &field.name);
		} else if (lex->token.kind == T_NAME) {
			field.name = lex->token.text;
			lex_next(lex);
		}
		field.type = parse_arrays(lex, field.type, 0);
		if (parse_take(lex, ':')) {
			int64_t bits = parse_number(lex);

			if (field.type->kind != CTYPE_INT || bits < 0 ||
			    (uint64_t)bits > field.type->size * 8)
				fail(lex->f, pos, "no such bit-field");
			field.bits = (uint32_t)bits;
			is_bits = true;
		}
		parse_attribute(lex);
		place_field(lex, l, field, is_bits, pos);
	} while (parse_take(lex, ','));
	parse_want(lex, ';', "; behind the field");
}

static void parse_enum(struct lex *lex, struct ctype *c)
{
	struct cfield *names = NULL;
	int64_t *values = NULL, value = 0;
	uint32_t nr = 0, names_room = 0, values_room = 0;

	c->size = 4;
	while (!parse_is(lex, '}')) {
		if (lex->token.kind != T_NAME)
			fail(lex->f, lex->token.pos, "a name is expected here");
		names = get_room(lex->f, names, nr, &names_room, sizeof(*names));
		values = get_room(lex->f, values, nr, &values_room, sizeof(*values));
		names[nr].name = lex->token.text;
		lex_next(lex);
		if (parse_take(lex, '='))
			value = parse_number(lex);
		c->sign |= value < 0;
		values[nr++] = value;
		value = (int64_t)((uint64_t)value + 1);
		/* Those above are known to those below. */
		c->fields = names;
		c->values = values;
		c->fields_nr = nr;
		if (!parse_take(lex, ','))
			break;
	}
}

const struct ctype *ctype_body(struct lex *lex, struct ctype *c, int depth)
{
	struct layout l = { .align = 1, .is_union = c->incomplete };
	struct lex behind = *lex;
	int open = 0;

	if (depth > CTYPE_DEPTH)
		fail(lex->f, lex->token.pos, "this is nested too deeply");
	/* What makes it packed stands behind it. */
	do {
		open += parse_is(&behind, '{');
		open -= parse_is(&behind, '}');
		lex_next(&behind);
	} while (open && behind.token.kind != T_END);
	l.packed = parse_attribute(&behind);
	c->incomplete = true;
	parse_want(lex, '{', "{");
	if (c->kind == CTYPE_ENUM) {
		parse_enum(lex, c);
	} else {
		while (!parse_is(lex, '}'))
			parse_field(lex, &l, depth + 1);
		c->fields = l.fields;
		c->fields_nr = l.nr;
		c->size = (l.size + l.align - 1) / l.align * l.align;
	}
	c->incomplete = false;
	parse_want(lex, '}', "}");
	parse_attribute(lex);
	return c;
}

bool ctype_define(struct lex *lex)
{
	bool is_typedef = parse_is_name(lex, "typedef");
	const struct ctype *c;
	const char *name = "";

	if (!is_typedef && !parse_is_name(lex, "struct") && !parse_is_name(lex, "union") &&
	    !parse_is_name(lex, "enum"))
		return false;
	if (is_typedef)
		lex_next(lex);
	c = ctype_base(lex, 0);
	if (is_typedef) {
		c = ctype_stars(lex, c);
		if (parse_is(lex, '(')) {
			c = parse_function(lex, &name);
		} else if (lex->token.kind == T_NAME) {
			name = lex->token.text;
			lex_next(lex);
		}
		c = parse_arrays(lex, c, 0);
		if (!*name)
			fail(lex->f, lex->token.pos, "a name is expected here");
		ctype_add(lex->f, name, c);
	}
	if (!c->name[0] && c->kind == CTYPE_ENUM)
		ctype_add(lex->f, "", c);	/* for its constants */
	return true;
}
