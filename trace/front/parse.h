/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* parse.h - what the grammar's files share. */
#ifndef KT_PARSE_H
#define KT_PARSE_H

#include "ast.h"

/* tokens.c */
noreturn void parse_unexpected(struct lex *lex, const char *what);
bool parse_is_name(struct lex *lex, const char *name);

/* parse.c */
struct expr *parse_new(struct lex *lex, enum expr_kind kind, struct pos pos);
/* Its parts are there: how deep is it, and how far does it go. */
struct expr *parse_closed(struct lex *lex, struct expr *e);
struct expr *parse_primary(struct lex *lex, int depth);
/* Operators of at least that level. */
struct expr *parse_binary(struct lex *lex, int level, int depth);

#endif
