/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * parse_macro.c - the language's own macros: macro add_one($x, y, @z) { ... }
 *
 * Owns: struct routine.  The body is read again at each use, with its parameters bound to what
 * they are given there (scopes.c), so that it becomes a block of that clause.  A macro may be
 * used above its definition.  What the language has as macros is the prelude, which a script's
 * own go before.
 */
#include "parse.h"

#include <string.h>

#define PARAMS_MAX 32
#define EXPANSIONS 30		/* macros within macros */
#define USES_MAX 10000		/* what a script becomes is bounded */

struct routine {
	struct routine *next;
	const char *name;
	struct token params[PARAMS_MAX];
	uint32_t params_nr;
	struct lex body;		/* before its { */
};

static struct routine *known(struct front *f, const char *name)
{
	struct routine *r;

	for (r = f->routines; r; r = r->next)
		if (!strcmp(r->name, name))
			return r;
	return NULL;
}

static void skip_body(struct lex *lex)
{
	int open = 0;

	do {
		if (lex->token.kind == T_END)
			parse_unexpected(lex, "} of the macro");
		open += parse_is(lex, '{');
		open -= parse_is(lex, '}');
		/* What is behind the last one is no token of this kind yet. */
		if (open)
			lex_next(lex);
	} while (open);
}

static struct routine *define(struct lex *lex)
{
	struct routine *r = front_alloc(lex->f, sizeof(*r));

	lex_next(lex);
	if (lex->token.kind != T_NAME)
		parse_unexpected(lex, "the name of a macro");
	r->name = lex->token.text;
	lex_next(lex);
	parse_want(lex, '(', "(");
	while (!parse_is(lex, ')')) {
		if (lex->token.kind != T_VAR && lex->token.kind != T_MAP &&
		    lex->token.kind != T_NAME)
			parse_unexpected(lex, "$variable, @map or a name");
		if (r->params_nr == PARAMS_MAX)
			front_fail(lex->f, lex->token.pos, "a macro has at most %d parameters",
				   PARAMS_MAX);
		r->params[r->params_nr++] = lex->token;
		lex_next(lex);
		if (!parse_take(lex, ','))
			break;
	}
	parse_want(lex, ')', ") or ,");
	if (!parse_is(lex, '{'))
		parse_unexpected(lex, "{");
	r->body = *lex;
	skip_body(lex);
	return r;
}

void parse_routine(struct lex *lex)
{
	struct pos pos = lex->token.pos;
	struct routine *r = define(lex);

	if (known(lex->f, r->name))
		front_fail(lex->f, pos, "there is a macro %s already", r->name);
	r->next = lex->f->routines;
	lex->f->routines = r;
}

/* Is "macro NAME" there, as words of the script's text? */
static bool defines(const char *text, size_t len, size_t at, const char *name)
{
	size_t n = strlen(name);

	if (len - at < 6 + n || memcmp(text + at, "macro", 5) ||
	    (at && lex_name_char(text[at - 1])))
		return false;
	for (at += 5; at < len && (text[at] == ' ' || text[at] == '\t'); at++)
		;
	return len - at > n && !memcmp(text + at, name, n) && !lex_name_char(text[at + n]);
}

static const char prelude[] =
	"macro assert(condition, message) {"
	"	if (!(condition)) { errorf(message); exit(1); }"
	"}"
	"macro is_err(pointer) { (uint64)(pointer) >= (uint64)-4095 }"
	"macro find(@map, key, $value) {"
	"	has_key(@map, key) ? { $value = @map[key]; true } : false"
	"}";

/* The macro that is defined in a text, if one is. */
static struct routine *look(struct front *f, const char *text, size_t len, const char *name,
			    struct pos pos)
{
	struct lex lex;
	size_t at;

	for (at = 0; at + 6 < len; at++) {
		if (!defines(text, len, at, name))
			continue;
		lex_begin(&lex, f);
		lex.sources[0] = (struct source){
			.text = text, .len = len, .at = at, .pos = pos,
			.apart = text != f->text,
		};
		lex_next(&lex);
		return define(&lex);
	}
	return NULL;
}

/* It may stand further below. */
static struct routine *find(struct front *f, const char *name, struct pos pos)
{
	struct routine *r = known(f, name);

	r = r ? r : look(f, f->text, f->len, name, pos);
	return r ? r : look(f, prelude, sizeof(prelude) - 1, name, pos);
}

/* One argument, as the parameter wants it. */
static void bind(struct lex *lex, const struct token *param, struct expr *arg)
{
	if (param->kind == T_VAR && arg->kind != E_VAR)
		front_fail(lex->f, arg->pos, "%s of this macro is a $variable", param->text);
	if (param->kind == T_MAP && (arg->kind != E_MAP || arg->args_nr))
		front_fail(lex->f, arg->pos, "%s of this macro is a @map, without keys",
			   param->text);
	scope_give(lex->f, param->text, arg);
}

struct expr *parse_use(struct lex *lex, const struct token *name, struct expr *const *args,
		       uint32_t args_nr)
{
	struct front *f = lex->f;
	struct routine *r = find(f, name->text, name->pos);
	struct scope outer;
	struct expr *e;
	struct lex body;
	uint32_t i;

	if (!r)
		return NULL;
	if (args_nr != r->params_nr)
		front_fail(f, name->pos, "the macro %s takes %u argument%s, not %u", r->name,
			   r->params_nr, r->params_nr == 1 ? "" : "s", args_nr);
	if (f->expansions == EXPANSIONS || ++f->replaced > USES_MAX)
		front_fail(f, name->pos, "macros are nested too deeply");
	outer = scope_enter(f, true);
	for (i = 0; i < args_nr; i++)
		bind(lex, &r->params[i], args[i]);
	body = r->body;
	f->expansions++;
	e = f->ways->block(&body);
	f->expansions--;
	scope_leave(f, outer);
	e->pos = name->pos;
	return e;
}
