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
static bool is_assign(struct lex *lex);

static struct stmt *new_stmt(struct lex *lex, enum stmt_kind kind)
{
	struct stmt *s = front_alloc(lex->f, sizeof(*s));

	s->kind = kind;
	s->pos = lex->token.pos;
	return s;
}

static struct stmt *parse_if(struct lex *lex, int depth)
{
	struct stmt *s = new_stmt(lex, S_IF);

	lex_next(lex);
	/* Nothing more to do for comptime: a constant condition is always decided here. */
	take_name(lex, "comptime");
	s->a = parse_expr(lex, 0);
	s->body = parse_block(lex, depth);
	if (take_name(lex, "else")) {
		if (depth > STMT_DEPTH)
			front_fail(lex->f, s->pos, "this is nested too deeply");
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

/* for ($i : 0..10), also for $i : 0..10; for ($kv : @map) */
static struct stmt *parse_for(struct lex *lex, int depth)
{
	struct stmt *s = new_stmt(lex, S_FOR);
	struct scope outer = scope_enter(lex->f, false);
	struct token name;
	bool parens;

	lex_next(lex);
	parens = parse_take(lex, '(');
	if (lex->token.kind != T_VAR)
		parse_unexpected(lex, "a variable, as in for ($i : 0..10)");
	name = lex->token;
	lex_next(lex);
	parse_want(lex, ':', ":");
	s->b = parse_binary(lex, 1, 0);
	if (s->b->kind == E_MAP && !s->b->args_nr && !parse_is(lex, P_RANGE)) {
		s->kind = S_EACH;
	} else {
		parse_want(lex, P_RANGE, "..");
		s->c = parse_binary(lex, 1, 0);
	}
	if (parens)
		parse_want(lex, ')', ")");
	scope_declare(lex->f, name.text);
	s->a = parse_new(lex, E_VAR, name.pos);
	s->a->name = name.text;
	scope_name_var(lex->f, s->a);
	s->body = parse_block(lex, depth);
	scope_leave(lex->f, outer);
	return s;
}

static bool is_assign(struct lex *lex)
{
	return parse_is(lex, '=') ||
	       (lex->token.kind == T_PUNCT && lex->token.punct >= P_ASSIGN);
}

/* let $x; let $x = 1; let $x : uint8 = 1; */
static struct stmt *parse_let(struct lex *lex)
{
	struct stmt *s = new_stmt(lex, S_EXPR);
	const struct ctype *type = NULL;
	struct token name;
	struct expr *cast;

	lex_next(lex);
	if (lex->token.kind != T_VAR)
		parse_unexpected(lex, "a variable, as in let $x = 1");
	name = lex->token;
	lex_next(lex);
	if (parse_take(lex, ':') && !parse_string_type(lex))
		type = ctype_parse(lex);
	/* What it is set to may be another one of its name. */
	if (parse_take(lex, '=')) {
		s->kind = S_ASSIGN;
		s->b = parse_expr(lex, 0);
		if (type && (type->kind == CTYPE_INT || type->kind == CTYPE_POINTER)) {
			cast = parse_new(lex, E_CAST, s->b->pos);
			cast->cast = type;
			cast->a = s->b;
			s->b = parse_closed(lex, cast);
		}
	}
	scope_declare(lex->f, name.text);
	if (!s->b) {
		s->kind = S_LET;
		s->type = type;
	}
	s->a = parse_new(lex, E_VAR, name.pos);
	s->a->name = name.text;
	scope_name_var(lex->f, s->a);
	return s;
}

static struct stmt *parse_simple(struct lex *lex)
{
	struct stmt *s = new_stmt(lex, S_EXPR);

	/* "_ = x": what x is does not matter. */
	if (parse_is_name(lex, "_")) {
		lex_next(lex);
		parse_want(lex, '=', "=");
		s->a = parse_expr(lex, 0);
		return s;
	}
	s->a = parse_expr(lex, 0);
	s->pos = s->a->pos;
	if (!is_assign(lex))
		return s;
	if (s->a->kind != E_VAR && s->a->kind != E_MAP)
		front_fail(lex->f, s->pos, "this cannot be changed: only $variables and "
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

/* A ; may be missing at the end of a line, where nothing else can follow. */
static bool ends_by_line(const struct lex *lex)
{
	return lex->token.first && (lex->token.kind == T_NAME || lex->token.kind == T_VAR ||
				    lex->token.kind == T_MAP);
}

/* *open: it is an expression that nothing is behind: the value of its block. */
static struct stmt *parse_stmt(struct lex *lex, int depth, bool *open)
{
	static const struct {
		const char *name;
		enum stmt_kind kind;
	} words[] = {
		{ "break", S_BREAK }, { "continue", S_CONTINUE },
		{ "return", S_RETURN },
	};
	struct stmt *s = NULL;
	bool block = false;
	size_t i;

	*open = false;
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
	if (parse_is_name(lex, "let")) {
		s = parse_let(lex);
	} else if (!s) {
		block = parse_is(lex, '{');
		s = parse_simple(lex);
		*open = s->kind == S_EXPR && parse_is(lex, '}');
	} else if (s->kind == S_RETURN && !parse_is(lex, ';') && !parse_is(lex, '}')) {
		s->a = parse_expr(lex, 0);
	}
	if (!parse_is(lex, '}') && !block && !ends_by_line(lex))
		parse_want(lex, ';', "; or }");
	return s;
}

/*
 * Up to "}", which remains the word to be looked at.  value: what the block is as an
 * expression is put there; NULL: it is a statement like the others.
 */
static struct stmt *parse_stmts(struct lex *lex, int depth, struct expr **value)
{
	struct stmt *first = NULL, **last = &first, *s;
	struct scope outer = scope_enter(lex->f, false);
	bool open;

	if (depth > STMT_DEPTH)
		front_fail(lex->f, lex->token.pos, "this is nested too deeply");
	parse_want(lex, '{', "{");
	while (!parse_is(lex, '}')) {
		if (parse_take(lex, ';'))
			continue;
		if (lex->token.kind == T_END)
			parse_unexpected(lex, "}");
		s = parse_stmt(lex, depth + 1, &open);
		if (open && value) {
			*value = s->a;
			break;
		}
		*last = s;
		if (s)
			last = &s->next;
	}
	scope_leave(lex->f, outer);
	return first;
}

static struct expr *parse_block_value(struct lex *lex)
{
	struct expr *e = parse_new(lex, E_BLOCK, lex->token.pos);

	if (++lex->f->blocks > STMT_DEPTH)
		front_fail(lex->f, lex->token.pos, "this is nested too deeply");
	e->body = parse_stmts(lex, 0, &e->a);
	lex->f->blocks--;
	e->pos = pos_to(e->pos, lex->token.pos);
	parse_want(lex, '}', "}");
	e->steps = true;
	return parse_closed(lex, e);
}

static struct stmt *parse_block(struct lex *lex, int depth)
{
	struct stmt *first = parse_stmts(lex, depth, NULL);

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

static void add_clause(struct front *f, struct clause *c)
{
	*(f->last_clause ? f->last_clause : &f->clauses) = c;
	f->last_clause = &c->next;
}

/* watchpoint:FUNCTION+arg1:8:w is uprobe:FUNCTION { watch(arg1, 8); } watchpoint:*:w */
static void add_watches(struct lex *lex, const struct attach *at)
{
	struct front *f = lex->f;
	struct clause *c;
	struct expr *call;

	for (; at; at = at->next) {
		if (!at->arg_of)
			continue;
		if (f->watches_arg)
			front_fail(f, at->pos, "a script has one watchpoint:FUNCTION+argN: write "
				   "uprobe:FUNCTION { watch(argN, BYTES); } for more");
		f->watches_arg = true;
		c = front_alloc(f, sizeof(*c));
		c->attach = attach_from(f, front_format(f, "uprobe:%s", at->arg_of), at->pos);
		c->attach->needed = !strpbrk(at->arg_of, "*?[");
		call = parse_new(lex, E_CALL, at->pos);
		call->name = "watch";
		call->args = front_alloc(f, 2 * sizeof(*call->args));
		call->args_nr = 2;
		call->args[0] = parse_new(lex, E_NAME, at->pos);
		call->args[0]->name = at->arg_name;
		call->args[1] = parse_new(lex, E_INT, at->pos);
		call->args[1]->value = at->arg_bytes;
		c->body = new_stmt(lex, S_EXPR);
		c->body->a = parse_closed(lex, call);
		add_clause(f, c);
	}
}

static void parse_clause(struct lex *lex)
{
	struct clause *c = front_alloc(lex->f, sizeof(*c));
	struct front *f = lex->f;

	f->saw_args = f->saw_numbers = f->saw_retval = false;
	c->attach = attach_parse(lex);
	lex_next(lex);
	if (parse_take(lex, '/')) {
		c->predicate = parse_expr(lex, 0);
		parse_want(lex, '/', "the / that ends the predicate");
	}
	c->body = parse_stmts(lex, 0, NULL);
	if (!strcmp(c->attach->a.provider, "test") || !strcmp(c->attach->a.provider, "bench"))
		return;
	add_watches(lex, c->attach);
	c->uses_args = f->saw_args || (f->saw_numbers && has_own_args(c));
	c->uses_retval = f->saw_retval;
	add_clause(f, c);
}

/* Is this the next word? */
static bool begins_with(struct lex *lex, const char *word)
{
	const struct source *s = &lex->sources[0];
	size_t n = strlen(word);

	return s->len - s->at > n && !memcmp(s->text + s->at, word, n) &&
	       !lex_name_char(s->text[s->at + n]);
}

static bool begins_definition(struct lex *lex)
{
	return begins_with(lex, "struct") || begins_with(lex, "union") ||
	       begins_with(lex, "enum") || begins_with(lex, "typedef");
}

/* A ; behind it may be missing, but behind a typedef. */
static void parse_definition(struct lex *lex)
{
	bool is_typedef;

	lex_next(lex);
	is_typedef = parse_is_name(lex, "typedef");
	ctype_define(lex);
	if (parse_is(lex, ';') || (!is_typedef && lex_back(lex)))
		return;
	parse_unexpected(lex, "; behind the definition");
}

/* let @x = hash(100): maps are what a script makes of them. */
static void parse_map_declaration(struct lex *lex)
{
	lex_next(lex);
	lex_next(lex);
	if (lex->token.kind != T_MAP)
		parse_unexpected(lex, "a map, as in let @x = hash(100)");
	lex_next(lex);
	parse_want(lex, '=', "=");
	if (lex->token.kind != T_NAME)
		parse_unexpected(lex, "a kind of map, as in let @x = hash(100)");
	config_map(lex->f, lex->token.text, lex->token.pos);
	lex_next(lex);
	parse_want(lex, '(', "(");
	parse_expr(lex, 0);
	parse_want(lex, ')', ")");
	if (!parse_is(lex, ';'))
		parse_unexpected(lex, "; behind the declaration");
}

static noreturn void refuse_word(struct lex *lex)
{
	lex_next(lex);
	front_fail(lex->f, lex->token.pos, lex->token.text[0] == 'f' ?
		   "functions are not supported: write a macro, as in macro add(a, b) { a + b }" :
		   "import is not supported: put what it would bring into the script");
}

void parse_script(struct front *f)
{
	static const struct parse_ways ways = {
		.block = parse_block_value, .use = parse_use,
	};
	struct lex lex;

	f->ways = &ways;
	lex_begin(&lex, f);
	for (;;) {
		lex_skip(&lex);
		if (lex.sources[0].at >= f->len)
			break;
		if (begins_definition(&lex)) {
			parse_definition(&lex);
		} else if (begins_with(&lex, "config")) {
			config_parse(&lex);
		} else if (begins_with(&lex, "let")) {
			parse_map_declaration(&lex);
		} else if (begins_with(&lex, "import") || begins_with(&lex, "fn")) {
			refuse_word(&lex);
		} else if (begins_with(&lex, "macro")) {
			lex_next(&lex);
			parse_routine(&lex);
		} else {
			parse_clause(&lex);
		}
	}
	if (lex.branches_nr)
		front_fail(f, (struct pos){ (uint32_t)f->len, 1 },
			   "an #if has no #endif");
	if (!f->clauses)
		front_fail(f, (struct pos){ 0, 1 },
			   "there is nothing to do: write a probe, as in "
			   "kprobe:vfs_read { @ = count(); }");
}
