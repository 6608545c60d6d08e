/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * preprocess.c - directives: lines that begin with '#'.
 *
 * Owns: struct macro, with parameters or without.  #include reads nothing: types come from
 * debugging information.
 */
#include "lex.h"

#include <string.h>

/* Each may stand for several of others: what a script becomes is bounded. */
#define REPLACED_MAX 100000
#define MACRO_MAX (1u << 20)	/* what a use of one becomes */

struct macro {
	struct macro *next;
	const char *name, *text;	/* text NULL: it was undefined */
	char *params;			/* their names, each with a 0 behind it; NULL: none */
	uint32_t params_nr;
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

/* Behind a text or a character's quote. */
static size_t skip_text(const char *text, size_t len, size_t at)
{
	char quote = text[at++];

	while (at < len && text[at] != quote)
		at += text[at] == '\\' ? 2 : 1;
	return at < len ? at + 1 : len;
}

/*
 * What stands behind the macro's name, up to its ')': the arguments, each with a 0 behind
 * it.  NULL: there is no '(', and the name is no use of the macro.
 */
static char *arguments(struct lex *lex, const struct macro *m, struct pos pos, uint32_t *nr)
{
	struct source *s = &lex->sources[lex->depth];
	size_t at = s->at, from, len = 0;
	char *args;
	int open = 0;

	while (at < s->len && (s->text[at] == ' ' || s->text[at] == '\t' || s->text[at] == '\n'))
		at++;
	if (at == s->len || s->text[at] != '(')
		return NULL;
	args = front_alloc(lex->f, s->len - at + 2);
	*nr = 1;
	for (from = ++at; at < s->len && (open || s->text[at] != ')'); at++) {
		if (s->text[at] == '"' || s->text[at] == '\'') {
			size_t end = skip_text(s->text, s->len, at);

			memcpy(args + len, s->text + at, end - at);
			len += end - at;
			at = end - 1;
			continue;
		}
		open += s->text[at] == '(';
		open -= s->text[at] == ')';
		args[len] = s->text[at];
		if (!open && s->text[at] == ',') {
			args[len] = 0;
			++*nr;
		}
		len++;
	}
	if (at >= s->len)
		front_fail(lex->f, pos, "the ) behind what %s is given is missing", m->name);
	if (at == from && !m->params_nr)
		*nr = 0;
	s->at = at + 1;
	return args;
}

/* The argument of a parameter that has that name, or NULL. */
static const char *argument(const struct macro *m, const char *args, const char *name, size_t len)
{
	const char *param = m->params;
	uint32_t i;

	for (i = 0; i < m->params_nr; i++) {
		if (strlen(param) == len && !memcmp(param, name, len))
			return args;
		param += strlen(param) + 1;
		args += strlen(args) + 1;
	}
	return NULL;
}

/* Its text, with what it is given in the places of its parameters. */
static const char *with_arguments(struct lex *lex, const struct macro *m, struct pos pos)
{
	size_t len = strlen(m->text), at, from, n = 0, longest = 1, room, i;
	const char *args, *given;
	uint32_t nr = 0;
	char *text;

	args = arguments(lex, m, pos, &nr);
	if (!args)
		return NULL;
	if (nr != m->params_nr)
		front_fail(lex->f, pos, "the macro %s takes %u argument%s, not %u", m->name,
			   m->params_nr, m->params_nr == 1 ? "" : "s", nr);
	for (i = 0, given = args; i < nr; i++, given += strlen(given) + 1)
		longest = strlen(given) > longest ? strlen(given) : longest;
	room = len * longest + 1;
	if (room > MACRO_MAX)
		front_fail(lex->f, pos, "what %s becomes is too long", m->name);
	text = front_alloc(lex->f, room);
	for (at = 0; at < len;) {
		from = at;
		if (m->text[at] == '"' || m->text[at] == '\'')
			at = skip_text(m->text, len, at);
		else if (lex_name_char(m->text[at]))
			while (at < len && lex_name_char(m->text[at]))
				at++;
		else
			at++;
		given = argument(m, args, m->text + from, at - from);
		i = given ? strlen(given) : at - from;
		memcpy(text + n, given ? given : m->text + from, i);
		n += i;
	}
	text[n] = 0;
	return text;
}

bool preprocess_replace(struct lex *lex, const char *name, struct pos pos)
{
	struct macro *m = find(lex->f, name);
	struct source *s;
	const char *text;
	int i;

	if (!m)
		return false;
	/* What it is given may use it, too; then the depth ends it. */
	for (i = 1; i <= lex->depth && !m->params; i++)
		if (lex->sources[i].macro == m)
			return false;
	text = m->params ? with_arguments(lex, m, pos) : m->text;
	if (!text)
		return false;
	if (lex->depth + 1 == LEX_DEPTH || ++lex->f->replaced > REPLACED_MAX)
		front_fail(lex->f, pos, "macros are nested too deeply");
	s = &lex->sources[++lex->depth];
	*s = (struct source){ .text = text, .len = strlen(text), .macro = m, .apart = true,
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
	struct macro *m = define(lex->f, name, "");
	size_t len;

	if (*text == '(') {
		m->params = front_alloc(lex->f, strlen(text) + 1);
		for (text++, len = 0; *text && *text != ')';) {
			char *param = name_of(lex, &text, at);

			strcpy(m->params + len, param);
			len += strlen(param) + 1;
			m->params_nr++;
			text += strspn(text, " ");
			if (*text == ',')
				text++;
		}
		if (*text++ != ')')
			front_fail(lex->f, at, "the ) of this macro's parameters is missing");
	}
	m->text = text + strspn(text, " ");
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
