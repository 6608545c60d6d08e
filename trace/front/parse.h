/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* parse.h - what the grammar's files share. */
#ifndef KT_PARSE_H
#define KT_PARSE_H

#include "ast.h"

/* tokens.c */
noreturn void parse_unexpected(struct lex *lex, const char *what);
bool parse_is_name(struct lex *lex, const char *name);

/*
 * Expressions hold blocks and uses of macros: what is above parse.c, as it is given to it.
 */
struct parse_ways {
	/* "{ ...; value }"; the token behind it is looked at then. */
	struct expr *(*block)(struct lex *lex);
	/* NULL: there is no macro of that name. */
	struct expr *(*use)(struct lex *lex, const struct token *name,
			    struct expr *const *args, uint32_t args_nr);
};

/* scopes.c */
struct scope {
	struct binding *bindings;
	uint32_t scope;
};
/* Names from here on; apart: none of those outside is known. */
struct scope scope_enter(struct front *f, bool apart);
void scope_leave(struct front *f, struct scope outer);
/* let $name */
void scope_declare(struct front *f, const char *name);
/* A macro's parameter, and what it is given. */
void scope_give(struct front *f, const char *name, struct expr *is);
struct expr *scope_given(const struct front *f, const char *name);
/* Which of its name a variable is. */
void scope_name_var(const struct front *f, struct expr *e);

/* parse_macro.c: macro NAME(...) { ... }, whose } is the token to be looked at then. */
void parse_routine(struct lex *lex);
struct expr *parse_use(struct lex *lex, const struct token *name, struct expr *const *args,
		       uint32_t args_nr);

/* parse.c */
struct expr *parse_new(struct lex *lex, enum expr_kind kind, struct pos pos);
/* Its parts are there: how deep is it, and how far does it go. */
struct expr *parse_closed(struct lex *lex, struct expr *e);
struct expr *parse_primary(struct lex *lex, int depth);
/* Operators of at least that level. */
struct expr *parse_binary(struct lex *lex, int level, int depth);

#endif
