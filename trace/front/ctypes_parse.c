/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ctypes_parse.c - C's types as a script writes them: names, and definitions.
 *
 * Owns: the grammar of types. A definition may stand within a definition, so what is
 * open is bounded by CTYPE_DEPTH.
 */
#include "ctypes.h"

#include "kt_regs.h"

#include <string.h>

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
	{ "size_t", KT_WORD, false }, { "ssize_t", KT_WORD, true },
	{ "uintptr_t", KT_WORD, false }, { "intptr_t", KT_WORD, true },
	{ "off_t", KT_WORD, true }, { "pid_t", 4, true },
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

bool ctype_starts(struct lex *lex)
{
	const char *name = lex->token.text;
	size_t i;

	if (lex->token.kind != T_NAME)
		return false;
	for (i = 0; i < ARRAY_SIZE(ints); i++)
		if (!strcmp(name, ints[i].name))
			return true;
	return is_word(name) || ctype_own(lex->f, name);
}

static bool is_qualifier(struct lex *lex)
{
	return parse_is_name(lex, "const") || parse_is_name(lex, "volatile");
}

/* "unsigned long int" and the like. */
static const struct ctype *parse_words(struct lex *lex)
{
	bool is_unsigned = false, is_signed = false, is_char = false, any = false;
	unsigned int longs = 0;
	struct pos pos = lex->token.pos;
	uint32_t size = 4;

	for (; lex->token.kind == T_NAME; lex_next(lex)) {
		if (parse_is_name(lex, "unsigned"))
			is_unsigned = true;
		else if (parse_is_name(lex, "signed"))
			is_signed = true;
		else if (parse_is_name(lex, "char"))
			is_char = true, size = 1;
		else if (parse_is_name(lex, "short"))
			size = 2;
		else if (parse_is_name(lex, "long"))
			size = longs++ ? 8 : KT_WORD;
		else if (parse_is_name(lex, "float") || parse_is_name(lex, "double"))
			front_fail(lex->f, lex->token.pos,
				   "there is no floating point: use a uint64");
		else if (!parse_is_name(lex, "int") && !parse_is_name(lex, "const") &&
			 !parse_is_name(lex, "volatile"))
			break;
		any = true;
	}
	if (!any)
		front_fail(lex->f, pos, "a type is expected here");
	return ctype_int(lex->f, is_char && !is_unsigned && !is_signed ? "char" : "",
			 size, !is_unsigned);
}

/* "{ ... }" of c, whose incomplete says that it is a union. */
struct attribute {
	bool packed;
	uint32_t align;			/* 0: none is given */
};

static const struct ctype *parse_body(struct lex *lex, struct ctype *c,
				      struct attribute before, int depth);
static struct attribute parse_attribute(struct lex *lex);

static const struct ctype *parse_tagged(struct lex *lex, int depth)
{
	bool is_enum = parse_is_name(lex, "enum"), is_union = parse_is_name(lex, "union");
	const char *kind = lex->token.text, *tag = "";
	const struct ctype *known;
	struct ctype *c;
	struct attribute before;

	lex_next(lex);
	before = parse_attribute(lex);
	if (lex->token.kind == T_NAME) {
		tag = front_format(lex->f, "%s %s", kind, lex->token.text);
		lex_next(lex);
	} else if (!parse_is(lex, '{')) {
		front_fail(lex->f, lex->token.pos, "the name of the %s is missing", kind);
	}
	if (depth < 0 || !parse_is(lex, '{')) {
		known = ctype_own(lex->f, tag);
		if (known)
			return known;
	}
	c = front_alloc(lex->f, sizeof(*c));
	c->kind = is_enum ? CTYPE_ENUM : CTYPE_STRUCT;
	c->name = tag;
	c->size = is_enum ? 4 : 0;
	c->sign = false;
	if (depth >= 0 && parse_is(lex, '{')) {
		if (*tag)
			ctype_add(lex->f, tag, c);
		c->incomplete = is_union;	/* until its end: says which it is */
		return parse_body(lex, c, before, depth);
	}
	c->incomplete = !is_enum || !ctype_named(lex->f, tag);
	if (is_enum && !c->incomplete)
		return ctype_named(lex->f, tag);
	return c;
}

/* ((aligned(8))) or ((aligned)), which is the most that the processor has a use for. */
static uint32_t parse_aligned(struct lex *lex)
{
	struct pos pos = lex->token.pos;
	struct lex ahead = *lex;
	const struct ctype *type;
	int64_t value = 16;

	lex_next(&ahead);
	if (parse_take(&ahead, '(')) {
		if (ahead.token.kind != T_INT && (ahead.token.kind != T_NAME ||
		    !ctype_constant(lex->f, ahead.token.text, &ahead.token.value, &type)))
			front_fail(lex->f, ahead.token.pos, "a number is expected here");
		value = ahead.token.value;
	}
	if (value < 1 || value > 4096 || (value & (value - 1)))
		front_fail(lex->f, pos, "an alignment is a power of 2 up to 4096");
	return (uint32_t)value;
}

/* __attribute__((packed)), ((aligned(8))), ((btf_type_tag("user"))) */
static struct attribute parse_attribute(struct lex *lex)
{
	struct attribute a = { .packed = false, .align = 0 };
	int depth = 0;

	while (parse_is_name(lex, "__attribute__")) {
		do {
			lex_next(lex);
			a.packed |= parse_is_name(lex, "packed") ||
				    parse_is_name(lex, "__packed__");
			if (parse_is_name(lex, "aligned") || parse_is_name(lex, "__aligned__"))
				a.align = parse_aligned(lex);
			depth += parse_is(lex, '(');
			depth -= parse_is(lex, ')');
		} while (depth && lex->token.kind != T_END);
		lex_next(lex);
	}
	return a;
}

bool parse_string_type(struct lex *lex)
{
	if (!parse_is_name(lex, "string"))
		return false;
	lex_next(lex);
	if (parse_take(lex, '[')) {
		if (lex->token.kind != T_INT)
			parse_unexpected(lex, "a number");
		lex_next(lex);
		parse_want(lex, ']', "]");
	}
	return true;
}

/* A type without its stars; depth: -1: no definitions. */
static const struct ctype *parse_base(struct lex *lex, int depth)
{
	const struct ctype *c;
	size_t i;

	parse_attribute(lex);
	while (is_qualifier(lex))
		lex_next(lex);
	parse_attribute(lex);
	if (lex->token.kind != T_NAME)
		front_fail(lex->f, lex->token.pos, "a type is expected here");
	if (parse_is_name(lex, "struct") || parse_is_name(lex, "union") ||
	    parse_is_name(lex, "enum"))
		return parse_tagged(lex, depth);
	if (parse_is_name(lex, "void")) {
		struct ctype *v = front_alloc(lex->f, sizeof(*v));

		lex_next(lex);
		v->kind = CTYPE_VOID;
		v->name = "void";
		return v;
	}
	for (i = 0; i < ARRAY_SIZE(ints); i++)
		if (parse_is_name(lex, ints[i].name)) {
			lex_next(lex);
			return ctype_int(lex->f, ints[i].name, ints[i].size,
					 ints[i].sign);
		}
	if (is_word(lex->token.text))
		return parse_words(lex);
	c = ctype_named(lex->f, lex->token.text);
	if (!c)
		front_fail(lex->f, lex->token.pos, "there is no type %s: define it above, "
			   "or give the file with its debugging information",
			   lex->token.text);
	lex_next(lex);
	return c;
}

static const struct ctype *parse_stars(struct lex *lex, const struct ctype *c)
{
	int n = 0;

	for (;;) {
		parse_attribute(lex);
		if (!parse_is(lex, '*') && !is_qualifier(lex))
			return c;
		if (parse_is(lex, '*')) {
			if (++n > CTYPE_DEPTH)
				front_fail(lex->f, lex->token.pos, "too many stars");
			c = ctype_pointer(lex->f, c);
		}
		lex_next(lex);
	}
}

const struct ctype *ctype_parse(struct lex *lex)
{
	const struct ctype *c = parse_base(lex, -1);

	return parse_stars(lex, c);
}

static int64_t parse_number(struct lex *lex)
{
	struct pos pos = lex->token.pos;
	bool minus = parse_take(lex, '-');
	const struct ctype *type;
	int64_t value;

	if (lex->token.kind == T_INT)
		value = lex->token.value;
	else if (lex->token.kind != T_NAME ||
		 !ctype_constant(lex->f, lex->token.text, &value, &type))
		front_fail(lex->f, pos, "a number is expected here");
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
		front_fail(lex->f, pos, "this is nested too deeply");
	c = parse_arrays(lex, c, depth + 1);
	if (nr < 0 || nr > (int64_t)CTYPE_SIZE ||
	    (uint64_t)nr * ctype_whole(lex->f, c)->size > CTYPE_SIZE)
		front_fail(lex->f, pos, "this array is too large");
	array = front_alloc(lex->f, sizeof(*array));
	*array = (struct ctype){ .kind = CTYPE_ARRAY, .name = "", .to = c,
				 .nr = (uint64_t)nr,
				 .size = (uint64_t)nr * ctype_whole(lex->f, c)->size };
	return array;
}

const struct ctype *ctype_arrays(struct lex *lex, const struct ctype *c)
{
	return parse_arrays(lex, c, 0);
}

/* A pointer to a function: what it is given does not matter. */
static const struct ctype *parse_function(struct lex *lex, const char **name)
{
	struct ctype *function = front_alloc(lex->f, sizeof(*function));
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

static void parse_field(struct lex *lex, struct ctype_layout *l, int depth)
{
	const struct ctype *base = parse_base(lex, depth);

	do {
		struct cfield field = { .name = "" };
		struct pos pos = lex->token.pos;
		struct attribute behind;
		bool is_bits = false;

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
				front_fail(lex->f, pos, "no such bit-field");
			field.bits = (uint32_t)bits;
			is_bits = true;
		}
		behind = parse_attribute(lex);
		ctype_place_field(lex, l, field, is_bits, behind.align, pos);
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
			front_fail(lex->f, lex->token.pos, "a name is expected here");
		names = front_room(lex->f, names, nr, &names_room, sizeof(*names));
		values = front_room(lex->f, values, nr, &values_room, sizeof(*values));
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

static const struct ctype *parse_body(struct lex *lex, struct ctype *c,
				      struct attribute before, int depth)
{
	struct ctype_layout l = { .align = 1, .is_union = c->incomplete };
	struct lex behind = *lex;
	struct attribute after;
	int open = 0;

	if (depth > CTYPE_DEPTH)
		front_fail(lex->f, lex->token.pos, "this is nested too deeply");
	/* What makes it packed stands behind it. */
	do {
		open += parse_is(&behind, '{');
		open -= parse_is(&behind, '}');
		lex_next(&behind);
	} while (open && behind.token.kind != T_END);
	after = parse_attribute(&behind);
	l.packed = after.packed || before.packed;
	c->incomplete = true;
	parse_want(lex, '{', "{");
	if (c->kind == CTYPE_ENUM) {
		parse_enum(lex, c);
	} else {
		while (!parse_is(lex, '}'))
			parse_field(lex, &l, depth + 1);
		if (l.align < before.align)
			l.align = before.align;
		if (l.align < after.align)
			l.align = after.align;
		c->align = l.align;
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
			front_fail(lex->f, lex->token.pos, "a name is expected here");
		ctype_add(lex->f, name, c);
	}
	if (!c->name[0] && c->kind == CTYPE_ENUM)
		ctype_add(lex->f, "", c);	/* for its constants */
	return true;
}
