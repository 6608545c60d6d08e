/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * tokens.c - what the next token is.
 *
 * Owns: the questions that every part of the grammar asks of a token.
 */
#include "parse.h"

#include <string.h>

bool parse_is(struct lex *lex, int punct)
{
	return lex->token.kind == T_PUNCT && lex->token.punct == punct;
}

bool parse_take(struct lex *lex, int punct)
{
	if (!parse_is(lex, punct))
		return false;
	lex_next(lex);
	return true;
}

noreturn void parse_unexpected(struct lex *lex, const char *what)
{
	if (lex->token.kind == T_END)
		front_fail(lex->f, lex->token.pos, "the script ends here: %s is expected",
			   what);
	front_fail(lex->f, lex->token.pos, "%s is expected here", what);
}

void parse_want(struct lex *lex, int punct, const char *what)
{
	if (!parse_take(lex, punct))
		parse_unexpected(lex, what);
}

bool parse_is_name(struct lex *lex, const char *name)
{
	return lex->token.kind == T_NAME && !strcmp(lex->token.text, name);
}
