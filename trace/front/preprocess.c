/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * preprocess.c - directives: lines that begin with '#'.
 *
 * Owns: struct macro, names without parameters.  #include reads nothing: types come from
 * debugging information.
 */
#include "lex.h"

#include <string.h>

/* Each may stand for several of others: what a script becomes is bounded. */
#define REPLACED_MAX 100000

struct macro {
	struct macro *next;
	const char *name, *text;	/* text NULL: it was undefined */
	bool params;
};

static struct macro *find(struct front *f, const char *name)
{
	struct macro *m;

	for (m = f->macros; m; m = m->next)
		if (!strcmp(m->name, name))
			return m->text ? m : NULL;
	return NULL;
}

static struct macro *define(struct front *f, const char *name, const char *text)
{
	struct macro *m = front_alloc(f, sizeof(*m));

	m->name = name;
	m->text = text;
	m->next = f->macros;
	f->macros = m;
	return m;
}

bool preprocess_replace(struct lex *lex, const char *name, struct pos pos)
{
	struct macro *m = find(lex->f, name);
	struct source *s;
	int i;

	if (!m)
		return false;
	for (i = 1; i <= lex->depth; i++)
		if (lex->sources[i].macro == m)
			return false;
	if (m->params)
		front_fail(lex->f, pos, "macros with parameters are not supported: "
			   "write out what %s means", name);
	if (lex->depth + 1 == LEX_DEPTH || ++lex->f->replaced > REPLACED_MAX)
		front_fail(lex->f, pos, "macros are nested too deeply");
	s = &lex->sources[++lex->depth];
	*s = (struct source){ .text = m->text, .len = strlen(m->text), .macro = m,
			      .pos = pos };
	return true;
}

/* The rest of the line without comments; lines that a backslash joins are one. */
static char *rest(struct lex *lex)
{
	struct source *s = &lex->sources[0];
	size_t from = s->at, n = 0;
	char *text, c;

	while (s->at < s->len && (s->text[s->at] != '\n' ||
				  s->text[s->at - 1] == '\\'))
		s->at++;
	text = front_alloc(lex->f, s->at - from + 1);
	for (; from < s->at; from++) {
		c = s->text[from];
		if (c == '\\' && from + 1 < s->at && s->text[from + 1] == '\n')
			continue;
		if (c == '/' && from + 1 < s->at && s->text[from + 1] == '/')
			break;
		text[n++] = c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
	}
	while (n && text[n - 1] == ' ')
		n--;
	text[n] = 0;
	return text;
}

/* A name is cut off the text. */
static char *name_of(struct lex *lex, char **text, struct pos at)
{
	char *name = *text + strspn(*text, " "), *end = name;

	while (lex_name_char(*end))
		end++;
	if (end == name)
		front_fail(lex->f, at, "a name is missing in this line");
	*text = end;
	return front_text(lex->f, name, (size_t)(end - name));
}

static void define_line(struct lex *lex, char *text, struct pos at)
{
	char *name = name_of(lex, &text, at);
	bool params = *text == '(';

	define(lex->f, name, text + strspn(text, " "))->params = params;
}

static void update(struct lex *lex)
{
	int i;

	lex->skipping = false;
	for (i = 0; i < lex->branches_nr; i++)
		lex->skipping |= !lex->branches[i].live;
}

static void branch(struct lex *lex, bool holds, struct pos at)
{
	if (lex->branches_nr == LEX_BRANCHES)
		front_fail(lex->f, at, "conditions are nested too deeply");
	lex->branches[lex->branches_nr].taken = holds;
	lex->branches[lex->branches_nr++].live = holds;
	update(lex);
}

/* "1", "0", "defined(NAME)", "!defined NAME" */
static bool condition(struct lex *lex, char *text, struct pos at)
{
	bool not = false, is;
	char *name;

	text += strspn(text, " ");
	while (*text == '!') {
		not = !not;
		text += 1 + strspn(text + 1, " ");
	}
	if (*text == '0' || *text == '1')
		return (*text == '1') != not;
	if (strncmp(text, "defined", 7))
		front_fail(lex->f, at, "only 0, 1 and defined(NAME) can be asked here");
	text += 7 + strspn(text + 7, " (");
	name = name_of(lex, &text, at);
	is = find(lex->f, name) || !strcmp(name, "BPFTRACE_HAVE_BTF");
	return is != not;
}

static void alternative(struct lex *lex, bool holds, struct pos at)
{
	bool taken;

	if (!lex->branches_nr)
		front_fail(lex->f, at, "there is no #if above this line");
	taken = lex->branches[lex->branches_nr - 1].taken;
	lex->branches[lex->branches_nr - 1].live = holds && !taken;
	lex->branches[lex->branches_nr - 1].taken = taken || holds;
	update(lex);
}

void preprocess(struct lex *lex, struct pos at)
{
	char *text = rest(lex), *word;

	at.len = lex->sources[0].at > at.at ?
		 (uint32_t)lex->sources[0].at - at.at : 1;
	if (*text == '!')
		return;
	text += strspn(text, " ");
	if (!*text)
		return;
	word = name_of(lex, &text, at);
	if (!strcmp(word, "ifdef") || !strcmp(word, "ifndef")) {
		char *name = name_of(lex, &text, at);
		bool is = find(lex->f, name) || !strcmp(name, "BPFTRACE_HAVE_BTF");

		branch(lex, is == !strcmp(word, "ifdef"), at);
	} else if (!strcmp(word, "if")) {
		branch(lex, lex->skipping || condition(lex, text, at), at);
	} else if (!strcmp(word, "elif")) {
		alternative(lex, condition(lex, text, at), at);
	} else if (!strcmp(word, "else")) {
		alternative(lex, true, at);
	} else if (!strcmp(word, "endif")) {
		if (!lex->branches_nr)
			front_fail(lex->f, at, "there is no #if above this line");
		lex->branches_nr--;
		update(lex);
	} else if (lex->skipping || !strcmp(word, "include") ||
		   !strcmp(word, "pragma")) {
		return;
	} else if (!strcmp(word, "define")) {
		define_line(lex, text, at);
	} else if (!strcmp(word, "undef")) {
		define(lex->f, name_of(lex, &text, at), NULL);
	} else {
		front_fail(lex->f, at, "no such directive: #include, #define, #undef, "
			   "#if, #ifdef, #ifndef, #elif, #else and #endif are known");
	}
}
