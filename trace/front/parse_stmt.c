/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * parse_stmt.c - the grammar of statements, clauses and the script.
 *
 * Owns: that grammar.  Statements are nested at most STMT_DEPTH deep.
 */
#include "parse.h"

#include <string.h>

#define STMT_DEPTH 50

static bool take_name(struct lex *lex, const char *name)
{
	if (!parse_is_name(lex, name))
		return false;
	lex_next(lex);
	return true;
}

static struct stmt *parse_block(struct lex *lex, int depth);

static struct stmt *new_stmt(struct lex *lex, enum stmt_kind kind)
{
	struct stmt *s = get(lex->f, sizeof(*s));

	s->kind = kind;
	s->pos = lex->token.pos;
	return s;
}

static struct stmt *parse_if(struct lex *lex, int depth)
{
	struct stmt *s = new_stmt(lex, S_IF);

	lex_next(lex);
	s->a = parse_expr(lex, 0);
	s->body = parse_block(lex, depth);
	if (take_name(lex, "else")) {
		if (depth > STMT_DEPTH)
			fail(lex->f, s->pos, "this is nested too deeply");
		s->other = parse_is_name(lex, "if") ? parse_if(lex, depth + 1) :
			   parse_block(lex, depth);
	}
	return s;
}

static struct stmt *parse_loop(struct lex *lex, enum stmt_kind kind, int depth)
{
	struct stmt *s = new_stmt(lex, kind);

	lex_next(lex);
	if (kind != S_WHILE && !parse_is(lex, '('))
		parse_unexpected(lex, "(");
	s->a = parse_expr(lex, 0);
	s->body = parse_block(lex, depth);
	return s;
}

/* for ($i : 0..10), also for $i : 0..10 */
static struct stmt *parse_for(struct lex *lex, int depth)
{
	struct stmt *s = new_stmt(lex, S_FOR);
	bool parens;

	lex_next(lex);
	parens = parse_take(lex, '(');
	if (lex->token.kind != T_VAR)
		parse_unexpected(lex, "a variable, as in for ($i : 0..10)");
	s->a = parse_primary(lex, 0);
	parse_want(lex, ':', ":");
	if (lex->token.kind == T_MAP)
		fail(lex->f, lex->token.pos, "a probe cannot go through a map: "
		     "print(@) shows all of it");
	s->b = parse_binary(lex, 1, 0);
	parse_want(lex, P_RANGE, "..");
	s->c = parse_binary(lex, 1, 0);
	if (parens)
		parse_want(lex, ')', ")");
	s->body = parse_block(lex, depth);
	return s;
}

static bool is_assign(struct lex *lex)
{
	return parse_is(lex, '=') ||
	       (lex->token.kind == T_PUNCT && lex->token.punct >= P_ASSIGN);
}

static struct stmt *parse_simple(struct lex *lex)
{
	struct stmt *s = new_stmt(lex, S_EXPR);

	s->a = parse_expr(lex, 0);
	s->pos = s->a->pos;
	if (!is_assign(lex))
		return s;
	if (s->a->kind != E_VAR && s->a->kind != E_MAP)
		fail(lex->f, s->pos, "this cannot be changed: only $variables and "
		     "@maps can");
	s->kind = S_ASSIGN;
	s->op = lex->token.punct == '=' ? 0 : lex->token.punct - P_ASSIGN;
	lex_next(lex);
	s->b = parse_expr(lex, 0);
	if (s->op && s->a->kind == E_VAR) {
		struct expr *e = parse_new(lex, E_BINARY, s->pos);

		e->op = s->op;
		e->a = s->a;
		e->b = s->b;
		s->b = parse_closed(lex, e);
		s->op = 0;
	}
	return s;
}

static struct stmt *parse_stmt(struct lex *lex, int depth)
{
	static const struct {
		const char *name;
		enum stmt_kind kind;
	} words[] = {
		{ "break", S_BREAK }, { "continue", S_CONTINUE },
		{ "return", S_RETURN },
	};
	struct stmt *s = NULL;
	size_t i;

	if (parse_is_name(lex, "if"))
		return parse_if(lex, depth);
	if (parse_is_name(lex, "while"))
		return parse_loop(lex, S_WHILE, depth);
	if (parse_is_name(lex, "unroll"))
		return parse_loop(lex, S_UNROLL, depth);
	if (parse_is_name(lex, "for"))
		return parse_for(lex, depth);
	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (parse_is_name(lex, words[i].name)) {
			s = new_stmt(lex, words[i].kind);
			lex_next(lex);
			break;
		}
	if (!s)
		s = parse_simple(lex);
	if (!parse_is(lex, '}'))
		parse_want(lex, ';', "; or }");
	return s;
}

/* Up to "}", which remains the word to be looked at. */
static struct stmt *parse_stmts(struct lex *lex, int depth)
{
	struct stmt *first = NULL, **last = &first;

	if (depth > STMT_DEPTH)
		fail(lex->f, lex->token.pos, "this is nested too deeply");
	parse_want(lex, '{', "{");
	while (!parse_is(lex, '}')) {
		if (parse_take(lex, ';'))
			continue;
		if (lex->token.kind == T_END)
			parse_unexpected(lex, "}");
		*last = parse_stmt(lex, depth + 1);
		last = &(*last)->next;
	}
	return first;
}

static struct stmt *parse_block(struct lex *lex, int depth)
{
	struct stmt *first = parse_stmts(lex, depth);

	parse_want(lex, '}', "}");
	return first;
}

/* ---- the script --------------------------------------------------------- */

/* arg0 is not a function's argument there, but has a place of its own. */
static bool has_own_args(const struct clause *c)
{
	const struct attach *at;

	for (at = c->attach; at; at = at->next)
		if (attach_has_own_args(at))
			return true;
	return false;
}

static void parse_clause(struct lex *lex)
{
	struct clause *c = get(lex->f, sizeof(*c));
	struct front *f = lex->f;

	f->saw_args = f->saw_numbers = f->saw_retval = false;
	c->attach = attach_parse(lex);
	lex_next(lex);
	if (parse_take(lex, '/')) {
		c->predicate = parse_expr(lex, 0);
		parse_want(lex, '/', "the / that ends the predicate");
	}
	c->body = parse_stmts(lex, 0);
	c->uses_args = f->saw_args || (f->saw_numbers && has_own_args(c));
	c->uses_retval = f->saw_retval;
	*(f->last_clause ? f->last_clause : &f->clauses) = c;
	f->last_clause = &c->next;
}

static bool begins_definition(struct lex *lex)
{
	static const char *const words[] = { "struct", "union", "enum", "typedef" };
	const struct source *s = &lex->sources[0];
	size_t i, n;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		n = strlen(words[i]);
		if (s->len - s->at > n && !memcmp(s->text + s->at, words[i], n) &&
		    !lex_name_char(s->text[s->at + n]))
			return true;
	}
	return false;
}

void parse(struct front *f)
{
	struct lex lex;

	lex_begin(&lex, f);
	for (;;) {
		lex_skip(&lex);
		if (lex.sources[0].at >= f->len)
			break;
		if (!begins_definition(&lex)) {
			parse_clause(&lex);
			continue;
		}
		lex_next(&lex);
		ctype_define(&lex);
		if (!parse_is(&lex, ';'))
			parse_unexpected(&lex, "; behind the definition");
	}
	if (lex.branches_nr)
		fail(f, (struct pos){ (uint32_t)f->len, 1 },
		     "an #if has no #endif");
	if (!f->clauses)
		fail(f, (struct pos){ 0, 1 },
		     "there is nothing to do: write a probe, as in "
		     "kprobe:vfs_read { @ = count(); }");
}
