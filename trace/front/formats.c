/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * formats.c - checking the formats of printf().
 *
 * Owns: the check of format strings against their arguments: each % needs a value of the right
 * type.
 */
#include "check.h"

#include <string.h>

/* At a '%': is its width one of the values, too? */
static bool has_star(const char *text)
{
	return text[1 + strspn(text + 1, "-+ #0")] == '*';
}

/* At a '%': its letter, and *text behind it.  0: it ends too early. */
static char letter(const char **text)
{
	const char *t = *text + 1;

	t += strspn(t, "-+ #0");
	t += strspn(t, "*0123456789");
	if (*t == '.')
		t += 1 + strspn(t + 1, "0123456789");
	t += strspn(t, "hljzt");
	if (*t == 'r' && (t[1] == 'x' || t[1] == 'h'))
		t++;
	*text = *t ? t + 1 : t;
	return t[0] == 'x' && t[-1] == 'r' ? 'r' : t[0] == 'h' ? 'r' : *t;
}

static bool fits_letter(char l, const struct type *t)
{
	if (strchr("diouxXc", l))
		return type_is_number(t) || t->t.kind == TRACE_TIME ||
		       (int)t->t.kind == TYPE_ARRAY;
	if (l == 'p')
		return type_is_number(t) || (int)t->t.kind >= TYPE_STRUCT;
	if (l == 'r')
		return t->t.kind == TRACE_BUFFER;
	return t->t.kind == TRACE_ENUM || t->t.kind == TRACE_BOOL ||
	       (!type_is_number(t) && (int)t->t.kind < TRACE_TUPLE &&
		t->t.kind != TRACE_NONE);
}

static void check_one(struct check *c, struct expr *arg, char l)
{
	const char *instead = "";

	if (check_unknown(c, arg) || fits_letter(l, &arg->type))
		return;
	if (l == 's' && arg->type.t.kind == TRACE_POINTER)
		instead = ": use str() for what is there";
	else if (l == 's' && type_is_number(&arg->type))
		instead = ": use %d, or str() if it is the address of a text";
	else if (arg->type.t.kind == TRACE_BUFFER)
		instead = ": use %r";
	else if ((int)arg->type.t.kind >= TYPE_STRUCT)
		instead = ": print its parts, or buf() of it with %r";
	else if (arg->type.t.kind == TRACE_TUPLE)
		instead = ": print() shows it";
	else if (!type_is_number(&arg->type))
		instead = ": use %s";
	front_fail(c->f, arg->pos, "this is %s, which %%%c does not print%s",
		   type_name(c->f, &arg->type), l, instead);
}

void format_check(struct check *c, struct expr *call, const struct expr *format,
		  uint32_t first)
{
	const char *text = format->name;
	uint32_t i = first;
	bool star;
	char l;

	if (strlen(format->name) != format->len)
		front_fail(c->f, format->pos, "a format has no \\0 within");
	while ((text = strchr(text, '%'))) {
		if (text[1] == '%') {
			text += 2;
			continue;
		}
		star = has_star(text);
		l = letter(&text);
		if (!l || !strchr("diouxXcpsr", l))
			front_fail(c->f, format->pos, "this format has a %% that means "
				   "nothing: %%d %%u %%x %%o %%c %%p %%s %%r and %%%% are "
				   "known");
		if (i + star >= call->args_nr)
			front_fail(c->f, format->pos, "this format needs more values than "
				   "the %u behind it", call->args_nr - first);
		if (star)
			check_one(c, call->args[i++], 'd');
		check_one(c, call->args[i++], l);
	}
	if (i < call->args_nr)
		front_fail(c->f, call->args[i]->pos, "the format has no %% for this");
}
