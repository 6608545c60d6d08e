/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ctypes.c - C's types: their names in casts, and those that a script defines.
 *
 * Owns: struct cname, the names of a script's own structures, enums and typedefs.
 * They come first; trace_env.type() knows the others.  Laid out as the psABI of
 * x86-64 does.
 */
#include "ast.h"

#include <string.h>

/* "struct x", or a typedef's name. */
struct cname {
	struct cname *next;
	const char *name;
	const struct ctype *type;
};

#define CTYPE_DEPTH 16
#define CTYPE_FIELDS 4096
#define CTYPE_SIZE (1u << 30)

static const struct {
	const char *name;
	uint8_t size;
	bool sign;
} ints[] = {
	{ "uint8", 1, false }, { "uint16", 2, false }, { "uint32", 4, false },
	{ "uint64", 8, false }, { "int8", 1, true }, { "int16", 2, true },
	{ "int32", 4, true }, { "int64", 8, true },
	{ "u8", 1, false }, { "u16", 2, false }, { "u32", 4, false },
	{ "u64", 8, false }, { "s8", 1, true }, { "s16", 2, true },
	{ "s32", 4, true }, { "s64", 8, true },
	{ "uint8_t", 1, false }, { "uint16_t", 2, false }, { "uint32_t", 4, false },
	{ "uint64_t", 8, false }, { "int8_t", 1, true }, { "int16_t", 2, true },
	{ "int32_t", 4, true }, { "int64_t", 8, true },
	{ "__u8", 1, false }, { "__u16", 2, false }, { "__u32", 4, false },
	{ "__u64", 8, false }, { "__s8", 1, true }, { "__s16", 2, true },
	{ "__s32", 4, true }, { "__s64", 8, true },
	{ "size_t", 8, false }, { "ssize_t", 8, true }, { "uintptr_t", 8, false },
	{ "intptr_t", 8, true }, { "off_t", 8, true }, { "pid_t", 4, true },
	{ "bool", 1, false }, { "_Bool", 1, false },
};

static const char *const words[] = {
	"char", "short", "int", "long", "unsigned", "signed", "void", "const",
	"volatile", "struct", "union", "enum", "float", "double",
};

static bool is_word(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(name, words[i]))
			return true;
	return false;
}

const struct ctype *ctype_int(struct front *f, const char *name, uint32_t size,
			      bool sign)
{
	struct ctype *c = get(f, sizeof(*c));

	*c = (struct ctype){ .kind = CTYPE_INT, .name = name, .size = size,
			     .sign = sign };
	return c;
}

const struct ctype *ctype_pointer(struct front *f, const struct ctype *to)
{
	struct ctype *c = get(f, sizeof(*c));

	*c = (struct ctype){ .kind = CTYPE_POINTER, .name = "", .size = 8, .to = to };
	return c;
}

static const struct ctype *own(struct front *f, const char *name)
{
	struct cname *n;

	for (n = f->cnames; n; n = n->next)
		if (!strcmp(n->name, name))
			return n->type;
	return NULL;
}

const struct ctype *ctype_named(struct front *f, const char *name)
{
	const struct ctype *c = own(f, name);

	if (!c && f->env->type)
		c = f->env->type(f->env->arg, name);
	return c;
}

static void add_name(struct front *f, const char *name, const struct ctype *type)
{
	struct cname *n = get(f, sizeof(*n));

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

bool ctype_constant(struct front *f, const char *name, int64_t *value)
{
	struct cname *n;
	uint32_t i;

	for (n = f->cnames; n; n = n->next) {
		if (n->type->kind != CTYPE_ENUM)
			continue;
		for (i = 0; i < n->type->fields_nr; i++)
			if (!strcmp(n->type->fields[i].name, name)) {
				*value = n->type->values[i];
				return true;
			}
	}
	if (f->env->constant && f->env->constant(f->env->arg, name, value))
		return true;
	return constant_known(name, value);
}

/* ---- names of types --------------------------------------------------------- */

static bool token_is(struct lex *lex, const char *name)
{
	return lex->token.kind == T_NAME && !strcmp(lex->token.text, name);
}

bool ctype_starts(struct lex *lex)
{
	const char *name = lex->token.text;
	size_t i;

	if (lex->token.kind != T_NAME)
		return false;
	for (i = 0; i < ARRAY_SIZE(ints); i++)
		if (!strcmp(name, ints[i].name))
			return true;
	return is_word(name) || own(lex->f, name);
}

/* "unsigned long int" and the like. */
static const struct ctype *parse_words(struct lex *lex)
{
	bool is_unsigned = false, is_signed = false, is_char = false, any = false;
	struct pos pos = lex->token.pos;
	uint32_t size = 4;

	for (; lex->token.kind == T_NAME; lex_next(lex)) {
		if (token_is(lex, "unsigned"))
			is_unsigned = true;
		else if (token_is(lex, "signed"))
			is_signed = true;
		else if (token_is(lex, "char"))
			is_char = true, size = 1;
		else if (token_is(lex, "short"))
			size = 2;
		else if (token_is(lex, "long"))
			size = 8;
		else if (token_is(lex, "float") || token_is(lex, "double"))
			fail(lex->f, lex->token.pos,
			     "there is no floating point: use a uint64");
		else if (!token_is(lex, "int") && !token_is(lex, "const") &&
			 !token_is(lex, "volatile"))
			break;
		any = true;
	}
	if (!any)
		fail(lex->f, pos, "a type is expected here");
	return ctype_int(lex->f, is_char && !is_unsigned && !is_signed ? "char" : "",
			 size, !is_unsigned);
}

static const struct ctype *parse_body(struct lex *lex, struct ctype *c, int depth);

static const struct ctype *parse_tagged(struct lex *lex, int depth)
{
	bool is_enum = token_is(lex, "enum"), is_union = token_is(lex, "union");
	const char *kind = lex->token.text, *tag = "";
	const struct ctype *known;
	struct ctype *c;

	lex_next(lex);
	if (lex->token.kind == T_NAME) {
		tag = get_format(lex->f, "%s %s", kind, lex->token.text);
		lex_next(lex);
	} else if (!parse_is(lex, '{')) {
		fail(lex->f, lex->token.pos, "the name of the %s is missing", kind);
	}
	if (depth < 0 || !parse_is(lex, '{')) {
		known = own(lex->f, tag);
		if (known)
			return known;
	}
	c = get(lex->f, sizeof(*c));
	c->kind = is_enum ? CTYPE_ENUM : CTYPE_STRUCT;
	c->name = tag;
	c->size = is_enum ? 4 : 0;
	c->sign = false;
	if (depth >= 0 && parse_is(lex, '{')) {
		if (*tag)
			add_name(lex->f, tag, c);
		c->incomplete = is_union;	/* until its end: says which it is */
		return parse_body(lex, c, depth);
	}
	c->incomplete = !is_enum || !ctype_named(lex->f, tag);
	if (is_enum && !c->incomplete)
		return ctype_named(lex->f, tag);
	return c;
}

/* Without stars.  depth: -1: no definitions. */
static const struct ctype *parse_base(struct lex *lex, int depth)
{
	const struct ctype *c;
	size_t i;

	while (token_is(lex, "const") || token_is(lex, "volatile"))
		lex_next(lex);
	if (lex->token.kind != T_NAME)
		fail(lex->f, lex->token.pos, "a type is expected here");
	if (token_is(lex, "struct") || token_is(lex, "union") ||
	    token_is(lex, "enum"))
		return parse_tagged(lex, depth);
	if (token_is(lex, "void")) {
		struct ctype *v = get(lex->f, sizeof(*v));

		lex_next(lex);
		v->kind = CTYPE_VOID;
		v->name = "void";
		return v;
	}
	for (i = 0; i < ARRAY_SIZE(ints); i++)
		if (token_is(lex, ints[i].name)) {
			lex_next(lex);
			return ctype_int(lex->f, ints[i].name, ints[i].size,
					 ints[i].sign);
		}
	if (is_word(lex->token.text))
		return parse_words(lex);
	c = ctype_named(lex->f, lex->token.text);
	if (!c)
		fail(lex->f, lex->token.pos, "there is no type %s: define it above, "
		     "or give the file with its debugging information",
		     lex->token.text);
	lex_next(lex);
	return c;
}

static const struct ctype *parse_stars(struct lex *lex, const struct ctype *c)
{
	int n = 0;

	while (parse_is(lex, '*') || token_is(lex, "const") ||
	       token_is(lex, "volatile")) {
		if (parse_is(lex, '*')) {
			if (++n > CTYPE_DEPTH)
				fail(lex->f, lex->token.pos, "too many stars");
			c = ctype_pointer(lex->f, c);
		}
		lex_next(lex);
	}
	return c;
}

const struct ctype *ctype_parse(struct lex *lex)
{
	const struct ctype *c = parse_base(lex, -1);

	while (token_is(lex, "const") || token_is(lex, "volatile"))
		lex_next(lex);
	return parse_stars(lex, c);
}

/* ---- definitions --------------------------------------------------------- */

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

	while (token_is(lex, "__attribute__")) {
		do {
			lex_next(lex);
			packed |= token_is(lex, "packed") ||
				  token_is(lex, "__packed__");
			depth += parse_is(lex, '(');
			depth -= parse_is(lex, ')');
		} while (depth && lex->token.kind != T_END);
		lex_next(lex);
	}
	return packed;
}

static void parse_field(struct lex *lex, struct layout *l, int depth)
{
	const struct ctype *base = parse_base(lex, depth);

	do {
		struct cfield field = { .name = "" };
		struct pos pos = lex->token.pos;
		bool is_bits = false;

		while (token_is(lex, "const") || token_is(lex, "volatile"))
			lex_next(lex);
		field.type = parse_stars(lex, base);
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

/* "{ ... }" of c, whose incomplete says that it is a union. */
static const struct ctype *parse_body(struct lex *lex, struct ctype *c, int depth)
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
	bool is_typedef = token_is(lex, "typedef");
	const struct ctype *c;
	const char *name = "";

	if (!is_typedef && !token_is(lex, "struct") && !token_is(lex, "union") &&
	    !token_is(lex, "enum"))
		return false;
	if (is_typedef)
		lex_next(lex);
	c = parse_base(lex, 0);
	if (is_typedef) {
		c = parse_stars(lex, c);
		if (parse_is(lex, '(')) {
			c = parse_function(lex, &name);
		} else if (lex->token.kind == T_NAME) {
			name = lex->token.text;
			lex_next(lex);
		}
		c = parse_arrays(lex, c, 0);
		if (!*name)
			fail(lex->f, lex->token.pos, "a name is expected here");
		add_name(lex->f, name, c);
	}
	if (!c->name[0] && c->kind == CTYPE_ENUM)
		add_name(lex->f, "", c);	/* for its constants */
	return true;
}
