/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * parse.c - from tokens to expressions.
 *
 * Owns: the grammar of expressions.  A tree is never deeper than EXPR_DEPTH, so code that works
 * on it may recurse.
 */
#include "parse.h"

#include <stdlib.h>
#include <string.h>

#define EXPR_DEPTH 100
/* Of this file's own calls: parentheses leave no trace in a tree. */
#define CALL_DEPTH 200

struct expr *parse_new(struct lex *lex, enum expr_kind kind, struct pos pos)
{
	struct expr *e = front_alloc(lex->f, sizeof(*e));

	e->kind = kind;
	e->pos = pos;
	return e;
}

/* Its parts are there: how deep is it, and how far does it go. */
struct expr *parse_closed(struct lex *lex, struct expr *e)
{
	struct expr *parts[] = { e->a, e->b, e->c };
	uint32_t i;

	for (i = 0; i < 3 + e->args_nr; i++) {
		struct expr *part = i < 3 ? parts[i] : e->args[i - 3];

		if (!part)
			continue;
		e->pos = pos_to(e->pos, part->pos);
		e->steps |= part->steps || part->kind == E_STEP;
		if (part->depth >= e->depth)
			e->depth = part->depth + 1;
	}
	if (e->depth > EXPR_DEPTH)
		front_fail(lex->f, e->pos, "this is nested too deeply: use variables for "
			   "its parts");
	return e;
}

/* "a, b)" and the like, up to end. */
static void parse_args(struct lex *lex, struct expr *e, int end, const char *what,
		       int depth)
{
	uint32_t room = 0;

	while (!parse_is(lex, end)) {
		e->args = front_room(lex->f, e->args, e->args_nr, &room,
				     sizeof(*e->args));
		e->args[e->args_nr++] = parse_expr(lex, depth);
		if (!parse_take(lex, ','))
			break;
	}
	e->pos = pos_to(e->pos, lex->token.pos);
	parse_want(lex, end, what);
}

static struct expr *parse_sizeof(struct lex *lex, struct pos pos, int depth)
{
	struct expr *e = parse_new(lex, E_SIZEOF, pos);

	parse_want(lex, '(', "(");
	if (ctype_starts(lex))
		e->cast = ctype_arrays(lex, ctype_parse(lex));
	else
		e->a = parse_expr(lex, depth);
	e->pos = pos_to(pos, lex->token.pos);
	parse_want(lex, ')', ")");
	return e;
}

static struct expr *parse_offsetof(struct lex *lex, struct pos pos, int depth)
{
	struct expr *e = parse_new(lex, E_OFFSETOF, pos);

	parse_want(lex, '(', "(");
	if (ctype_starts(lex) || (lex->token.kind == T_NAME && ctype_named(lex->f, lex->token.text)))
		e->cast = ctype_parse(lex);
	else
		e->a = parse_expr(lex, depth);
	parse_want(lex, ',', ",");
	if (lex->token.kind != T_NAME)
		parse_unexpected(lex, "the name of a field");
	e->name = lex->token.text;
	lex_next(lex);
	while (parse_take(lex, '.')) {
		if (lex->token.kind != T_NAME)
			parse_unexpected(lex, "the name of a field");
		e->name = front_format(lex->f, "%s.%s", e->name, lex->token.text);
		lex_next(lex);
	}
	e->pos = pos_to(pos, lex->token.pos);
	parse_want(lex, ')', ")");
	return e;
}

/* $1: a number where it is one, else a text; str($1) is made of it by itself. */
static struct expr *parse_param(struct lex *lex)
{
	struct expr *e = parse_new(lex, E_INT, lex->token.pos);
	const struct trace_env *env = lex->f->env;
	int64_t nr = lex->token.value;
	char *end;

	lex_next(lex);
	if (!nr) {
		e->value = env->params_nr;
		return e;
	}
	e->name = nr <= env->params_nr ? env->params[nr - 1] : "";
	e->len = strlen(e->name);
	e->value = (int64_t)strtoull(e->name, &end, 0);
	e->is_param = true;
	/* A word that is no number is a text.  A parameter that is not given is both. */
	if (*e->name && (*end || end == e->name))
		e->kind = E_STRING;
	return e;
}

static bool is_literal_text(struct lex *lex)
{
	return lex->token.kind == T_STRING;
}

static struct expr *parse_texts(struct lex *lex)
{
	struct expr *e = parse_new(lex, E_STRING, lex->token.pos);

	while (is_literal_text(lex)) {
		char *all = front_alloc(lex->f, e->len + lex->token.len + 1);

		if (e->len)
			memcpy(all, e->name, e->len);
		memcpy(all + e->len, lex->token.text, lex->token.len);
		e->len += lex->token.len;
		e->name = all;
		e->pos = pos_to(e->pos, lex->token.pos);
		lex_next(lex);
	}
	return e;
}

static struct expr *parse_name(struct lex *lex, int depth)
{
	struct token t = lex->token;
	struct expr *e, *used;

	lex_next(lex);
	if (!strncmp(t.text, "__builtin_", 10))
		t.text += 10;
	if (!strcmp(t.text, "typeof"))
		front_fail(lex->f, t.pos, "typeof is not supported: write the type");
	if (!strcmp(t.text, "sizeof"))
		return parse_sizeof(lex, t.pos, depth);
	if (!strcmp(t.text, "offsetof"))
		return parse_offsetof(lex, t.pos, depth);
	e = parse_new(lex, parse_is(lex, '(') ? E_CALL : E_NAME, t.pos);
	e->name = t.text;
	lex->f->saw_args |= !strcmp(t.text, "args");
	lex->f->saw_retval |= !strcmp(t.text, "retval");
	lex->f->saw_numbers |= !strncmp(t.text, "arg", 3) && t.text[3] >= '0' &&
			       t.text[3] <= '9';
	if (parse_take(lex, '(')) {
		parse_args(lex, e, ')', ") or ,", depth);
		parse_closed(lex, e);
	} else if (scope_given(lex->f, t.text)) {
		return scope_given(lex->f, t.text);
	}
	used = lex->f->ways->use(lex, &t, e->args, e->args_nr);
	return used ? used : e;
}

static struct expr *parse_map(struct lex *lex, int depth)
{
	struct expr *e = parse_new(lex, E_MAP, lex->token.pos);
	struct expr *given = scope_given(lex->f, lex->token.text);

	e->name = given ? given->name : lex->token.text;
	lex_next(lex);
	if (parse_take(lex, '[')) {
		if (parse_is(lex, ']'))
			parse_unexpected(lex, "a key");
		parse_args(lex, e, ']', "] or ,", depth);
		parse_closed(lex, e);
	}
	return e;
}

/* Is "(NAME *" a cast: a name of a type that only debugging information has. */
static bool is_cast(struct lex *lex)
{
	struct lex ahead = *lex;

	if (ctype_starts(lex))
		return true;
	if (lex->token.kind != T_NAME)
		return false;
	lex_next(&ahead);
	if (parse_is(&ahead, ')')) {
		lex_next(&ahead);
		return (ahead.token.kind == T_NAME || ahead.token.kind == T_VAR ||
			ahead.token.kind == T_MAP || ahead.token.kind == T_INT ||
			parse_is(&ahead, '(')) &&
		       ctype_named(lex->f, lex->token.text);
	}
	if (!parse_is(&ahead, '*'))
		return false;
	while (parse_is(&ahead, '*'))
		lex_next(&ahead);
	return parse_is(&ahead, ')');
}

static struct expr *parse_unary(struct lex *lex, int depth);

static struct expr *parse_parens(struct lex *lex, int depth)
{
	struct pos pos = lex->token.pos;
	struct expr *e;

	lex_next(lex);
	if (parse_is(lex, ')')) {
		e = parse_new(lex, E_TUPLE, pos_to(pos, lex->token.pos));
		lex_next(lex);
		return e;
	}
	if (is_cast(lex)) {
		e = parse_new(lex, E_CAST, pos);
		e->cast = ctype_parse(lex);
		/* uint8[8]; uint8[]: as many as there is room for. */
		e->cast = ctype_arrays(lex, e->cast);
		parse_want(lex, ')', ")");
		e->a = parse_unary(lex, depth);
		return parse_closed(lex, e);
	}
	e = parse_expr(lex, depth);
	if (parse_is(lex, ',')) {
		struct expr *tuple = parse_new(lex, E_TUPLE, pos);
		uint32_t room = 0;

		do {
			tuple->args = front_room(lex->f, tuple->args, tuple->args_nr,
						 &room, sizeof(*tuple->args));
			tuple->args[tuple->args_nr++] = e;
			if (!parse_take(lex, ',') || parse_is(lex, ')'))
				break;
			e = parse_expr(lex, depth);
		} while (true);
		e = parse_closed(lex, tuple);
	}
	e->pos = pos_to(pos, lex->token.pos);
	parse_want(lex, ')', ")");
	return e;
}

struct expr *parse_primary(struct lex *lex, int depth)
{
	struct expr *e;

	switch (lex->token.kind) {
	case T_INT:
		e = parse_new(lex, E_INT, lex->token.pos);
		e->value = lex->token.value;
		e->is_unsigned = lex->token.is_unsigned;
		lex_next(lex);
		return e;
	case T_STRING:
		return parse_texts(lex);
	case T_PARAM:
		return parse_param(lex);
	case T_VAR:
		e = parse_new(lex, E_VAR, lex->token.pos);
		e->name = lex->token.text;
		scope_name_var(lex->f, e);
		lex_next(lex);
		return e;
	case T_MAP:
		return parse_map(lex, depth);
	case T_NAME:
		return parse_name(lex, depth);
	default:
		if (parse_is(lex, '('))
			return parse_parens(lex, depth);
		if (parse_is(lex, '{'))
			return lex->f->ways->block(lex);
		parse_unexpected(lex, "a value");
	}
}

static struct expr *parse_field(struct lex *lex, struct expr *a, int depth)
{
	struct expr *e = parse_new(lex, E_FIELD, a->pos);

	e->a = a;
	e->op = lex->token.punct;
	if (parse_take(lex, '[')) {
		e->kind = E_INDEX;
		e->b = parse_expr(lex, depth);
		parse_closed(lex, e);
		e->pos = pos_to(e->pos, lex->token.pos);
		parse_want(lex, ']', "]");
		return e;
	}
	lex_next(lex);
	e->pos = pos_to(e->pos, lex->token.pos);
	if (lex->token.kind == T_INT && e->op == '.') {
		e->name = "";
		e->value = lex->token.value;	/* of a tuple */
	} else if (lex->token.kind == T_NAME) {
		e->name = lex->token.text;
	} else {
		parse_unexpected(lex, "the name of a field");
	}
	lex_next(lex);
	return parse_closed(lex, e);
}

static struct expr *parse_postfix(struct lex *lex, int depth)
{
	struct expr *e = parse_primary(lex, depth), *step;

	for (;;) {
		if (parse_is(lex, '.') || parse_is(lex, P_ARROW) ||
		    parse_is(lex, '[')) {
			e = parse_field(lex, e, depth);
		} else if (parse_is(lex, P_INC) || parse_is(lex, P_DEC)) {
			step = parse_new(lex, E_STEP, e->pos);
			step->op = lex->token.punct;
			step->post = true;
			step->a = e;
			e = parse_closed(lex, step);
			e->pos = pos_to(e->pos, lex->token.pos);
			lex_next(lex);
		} else {
			return e;
		}
	}
}

static struct expr *parse_unary(struct lex *lex, int depth)
{
	static const int ops[] = { '-', '!', '~', '*', '&', '+', P_INC, P_DEC };
	struct expr *e;
	size_t i;

	if (++depth > CALL_DEPTH)
		front_fail(lex->f, lex->token.pos, "this is nested too deeply: use variables "
			   "for its parts");
	for (i = 0; i < ARRAY_SIZE(ops); i++)
		if (parse_is(lex, ops[i]))
			break;
	if (i == ARRAY_SIZE(ops))
		return parse_postfix(lex, depth);
	e = parse_new(lex, ops[i] >= 256 ? E_STEP : E_UNARY, lex->token.pos);
	e->op = ops[i];
	lex_next(lex);
	e->a = parse_unary(lex, depth);
	/* A variable has no address, but *&$x is $x. */
	if (e->op == '*' && e->a->kind == E_UNARY && e->a->op == '&')
		return e->a->a;
	if (e->op == '-' && e->a->kind == E_INT && !e->a->is_param) {
		e->a->value = (int64_t)-(uint64_t)e->a->value;
		e->a->is_unsigned = false;
		e->a->pos = pos_to(e->pos, e->a->pos);
		return e->a;
	}
	if (e->op == '+')
		return e->a;
	return parse_closed(lex, e);
}

static int precedence(struct lex *lex)
{
	static const struct {
		int punct, level;
	} ops[] = {
		{ P_OR, 1 }, { P_AND, 2 }, { '|', 3 }, { '^', 4 }, { '&', 5 },
		{ P_EQ, 6 }, { P_NE, 6 }, { '<', 7 }, { '>', 7 }, { P_LE, 7 },
		{ P_GE, 7 }, { P_SHL, 8 }, { P_SHR, 8 }, { '+', 9 }, { '-', 9 },
		{ '*', 10 }, { '/', 10 }, { '%', 10 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ops); i++)
		if (parse_is(lex, ops[i].punct))
			return ops[i].level;
	return 0;
}

/* Operators of at least that level. */
struct expr *parse_binary(struct lex *lex, int level, int depth)
{
	struct expr *a = parse_unary(lex, depth), *e;
	int found;

	while ((found = precedence(lex)) >= level) {
		/* "/" and then "{": the end of a predicate. */
		if (parse_is(lex, '/')) {
			struct lex ahead = *lex;

			lex_next(&ahead);
			if (parse_is(&ahead, '{'))
				break;
		}
		e = parse_new(lex, E_BINARY, a->pos);
		e->op = lex->token.punct;
		lex_next(lex);
		e->a = a;
		e->b = parse_binary(lex, found + 1, depth + 1);
		a = parse_closed(lex, e);
	}
	return a;
}

struct expr *parse_expr(struct lex *lex, int depth)
{
	struct expr *e = parse_binary(lex, 1, depth), *ternary;

	if (!parse_is(lex, '?'))
		return e;
	ternary = parse_new(lex, E_TERNARY, e->pos);
	lex_next(lex);
	ternary->a = e;
	/* a ?: b is a ? a : b. */
	if (parse_is(lex, ':') && e->steps)
		front_fail(lex->f, e->pos, "this would be done twice: keep it in a variable");
	ternary->b = parse_is(lex, ':') ? e : parse_expr(lex, depth + 1);
	parse_want(lex, ':', ":");
	ternary->c = parse_expr(lex, depth + 1);
	return parse_closed(lex, ternary);
}
