/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * acts.c - what a script may have done: its cat("...") and system("...").
 *
 * Owns: finding their texts without compiling, which needs to know the subject, and may so
 * be done by who believes it.  Every place that looks like one counts, in a comment, too:
 * all of it is the user's.
 */
#include "lex.h"

#include <string.h>

/* Is a name there, a bracket behind it, and a text?  Where that begins; 0: no. */
static size_t text_of(const char *text, size_t len, size_t at, const char *name)
{
	size_t end = at + strlen(name);

	if (end > len || memcmp(text + at, name, end - at) ||
	    (at && lex_name_char(text[at - 1])))
		return 0;
	while (end < len && strchr(" \t\r\n", text[end]))
		end++;
	if (end == len || text[end++] != '(')
		return 0;
	while (end < len && strchr(" \t\r\n", text[end]))
		end++;
	return end < len && text[end] == '"' ? end : 0;
}

/* A text that has no end is an error, which who compiles will say. */
static char *read_text(struct front *f, size_t at)
{
	struct lex lex;

	if (setjmp(f->out))
		return NULL;
	lex_begin(&lex, f);
	lex.sources[0].at = at;
	lex_next(&lex);
	return lex.token.kind == T_STRING ? (char *)lex.token.text : NULL;
}

bool trace_acts(const char *text, size_t len,
		void (*take)(void *arg, bool cat, const char *format), void *arg)
{
	struct trace_arena *arena = arena_new();
	struct front *f = arena ? arena_get(arena, sizeof(*f)) : NULL;
	struct trace_error error;
	bool any = false;
	size_t at, begin;
	char *found;
	int cat;

	for (at = 0; f && len <= INT32_MAX && at < len; at++) {
		for (cat = 0; cat < 2; cat++) {
			begin = text_of(text, len, at, cat ? "cat" : "system");
			*f = (struct front){
				.arena = arena, .text = text, .len = len, .error = &error,
			};
			found = begin ? read_text(f, begin) : NULL;
			any |= found != NULL;
			if (found)
				take(arg, cat, found);
		}
	}
	arena_free(arena);
	return any;
}
