/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ctypes.c - C's types by name, and how a name is read.
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

	*c = (struct ctype){ .kind = CTYPE_POINTER, .name = "", .size = KT_WORD,
			     .to = to };
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

void ctype_add(struct front *f, const char *name, const struct ctype *type)
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
			fail(lex->f, lex->token.pos,
			     "there is no floating point: use a uint64");
		else if (!parse_is_name(lex, "int") && !parse_is_name(lex, "const") &&
			 !parse_is_name(lex, "volatile"))
			break;
		any = true;
	}
	if (!any)
		fail(lex->f, pos, "a type is expected here");
	return ctype_int(lex->f, is_char && !is_unsigned && !is_signed ? "char" : "",
			 size, !is_unsigned);
}

static const struct ctype *parse_tagged(struct lex *lex, int depth)
{
	bool is_enum = parse_is_name(lex, "enum"), is_union = parse_is_name(lex, "union");
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
			ctype_add(lex->f, tag, c);
		c->incomplete = is_union;	/* until its end: says which it is */
		return ctype_body(lex, c, depth);
	}
	c->incomplete = !is_enum || !ctype_named(lex->f, tag);
	if (is_enum && !c->incomplete)
		return ctype_named(lex->f, tag);
	return c;
}

const struct ctype *ctype_base(struct lex *lex, int depth)
{
	const struct ctype *c;
	size_t i;

	while (parse_is_name(lex, "const") || parse_is_name(lex, "volatile"))
		lex_next(lex);
	if (lex->token.kind != T_NAME)
		fail(lex->f, lex->token.pos, "a type is expected here");
	if (parse_is_name(lex, "struct") || parse_is_name(lex, "union") ||
	    parse_is_name(lex, "enum"))
		return parse_tagged(lex, depth);
	if (parse_is_name(lex, "void")) {
		struct ctype *v = get(lex->f, sizeof(*v));

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
		fail(lex->f, lex->token.pos, "there is no type %s: define it above, "
		     "or give the file with its debugging information",
		     lex->token.text);
	lex_next(lex);
	return c;
}

const struct ctype *ctype_stars(struct lex *lex, const struct ctype *c)
{
	int n = 0;

	while (parse_is(lex, '*') || parse_is_name(lex, "const") ||
	       parse_is_name(lex, "volatile")) {
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
	const struct ctype *c = ctype_base(lex, -1);

	while (parse_is_name(lex, "const") || parse_is_name(lex, "volatile"))
		lex_next(lex);
	return ctype_stars(lex, c);
}
