/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * lex.c - the tokens of a script.
 *
 * Owns: the position in the script, and the stack of macros that are being expanded.  A token
 * from the text of a macro has the position of the macro's name in the script.
 */
#include "lex.h"

#include <string.h>

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

static struct source *source(struct lex *lex)
{
	return &lex->sources[lex->depth];
}

static char peek(struct lex *lex, size_t ahead)
{
	struct source *s = source(lex);

	return s->at + ahead < s->len ? s->text[s->at + ahead] : 0;
}

static struct pos pos_of(struct lex *lex, size_t from)
{
	struct source *s = source(lex);

	if (s->apart)
		return s->pos;
	return (struct pos){ (uint32_t)from, (uint32_t)(s->at - from) };
}

static void skip_comment(struct lex *lex)
{
	struct source *s = source(lex);
	size_t from = s->at;

	if (s->text[s->at + 1] == '/') {
		while (s->at < s->len && s->text[s->at] != '\n')
			s->at++;
		return;
	}
	for (s->at += 2; s->at < s->len; s->at++)
		if (s->text[s->at] == '*' && peek(lex, 1) == '/') {
			s->at += 2;
			return;
		}
	s->at = from + 2;
	front_fail(lex->f, pos_of(lex, from), "this comment has no end: write */");
}

static bool begins_line(const struct source *s)
{
	size_t i = s->at;

	while (i && (s->text[i - 1] == ' ' || s->text[i - 1] == '\t'))
		i--;
	return !i || s->text[i - 1] == '\n';
}

void lex_skip(struct lex *lex)
{
	for (;;) {
		struct source *s = source(lex);
		char c = peek(lex, 0);

		if (s->at >= s->len) {
			if (!lex->depth)
				return;
			lex->depth--;
		} else if (!s->apart && c == '#' && begins_line(s)) {
			s->at++;
			preprocess(lex, pos_of(lex, s->at - 1));
		} else if (lex->skipping) {
			while (s->at < s->len && s->text[s->at++] != '\n')
				;
		} else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
			s->at++;
		} else if (c == '/' && (peek(lex, 1) == '/' || peek(lex, 1) == '*')) {
			skip_comment(lex);
		} else {
			return;
		}
	}
}

static int hex(char c)
{
	if (digit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Behind a backslash. */
static char escape(struct lex *lex)
{
	static const char names[] = "nrtabfve0\\\"'", bytes[] = "\n\r\t\a\b\f\v\033\0\\\"'";
	struct source *s = source(lex);
	char c = peek(lex, 0);
	int value = 0, n;
	const char *name;

	if (c == 'x' && hex(peek(lex, 1)) >= 0) {
		s->at++;
		for (n = 0; n < 2 && hex(peek(lex, 0)) >= 0; n++)
			value = value * 16 + hex(s->text[s->at++]);
		return (char)value;
	}
	if (c >= '0' && c <= '7') {
		for (n = 0; n < 3 && peek(lex, 0) >= '0' && peek(lex, 0) <= '7'; n++)
			value = value * 8 + s->text[s->at++] - '0';
		return (char)value;
	}
	name = c ? strchr(names, c) : NULL;
	if (!name)
		front_fail(lex->f, pos_of(lex, s->at - 1),
			   "no such escape: \\n \\t \\\\ \\\" \\xHH and \\NNN are known");
	s->at++;
	return bytes[name - names];
}

/* How long a text may be that ends with quote. */
static size_t text_most(const struct source *s, char quote)
{
	size_t at;

	for (at = s->at + 1; at < s->len && s->text[at] != quote &&
	     s->text[at] != '\n'; at++)
		at += s->text[at] == '\\';
	return at - s->at;
}

static void lex_string(struct lex *lex, char quote)
{
	struct source *s = source(lex);
	struct token *t = &lex->token;
	char *text = front_alloc(lex->f, text_most(s, quote) + 1);
	size_t from = s->at++;

	while (s->at < s->len && s->text[s->at] != quote) {
		char c = s->text[s->at++];

		if (c == '\n')
			break;
		if (c == '\\')
			c = escape(lex);
		text[t->len++] = c;
	}
	if (s->at >= s->len || s->text[s->at] != quote) {
		s->at = from + 1;
		front_fail(lex->f, pos_of(lex, from), "this text has no end: write %c", quote);
	}
	s->at++;
	t->kind = T_STRING;
	t->text = text;
	if (quote == '"')
		return;
	if (t->len != 1)
		front_fail(lex->f, pos_of(lex, from),
			   "one character belongs between '': for a text use \"\"");
	t->kind = T_INT;
	t->value = (signed char)text[0];
}

/* 1e6: a whole number; not behind a hexadecimal one. */
static uint64_t exponent(struct lex *lex, uint64_t value, size_t from)
{
	struct source *s = source(lex);
	int n = 0;

	s->at++;
	while (digit(peek(lex, 0)) && n < 100)
		n = n * 10 + s->text[s->at++] - '0';
	while (n--)
		if (__builtin_mul_overflow(value, 10u, &value))
			front_fail(lex->f, pos_of(lex, from), "a number has 64 bits");
	return value;
}

uint64_t lex_duration(const char *text, size_t len)
{
	static const struct {
		char name[3];
		uint64_t nsecs;
	} units[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 },
		{ "m", 60000000000 }, { "h", 3600000000000 }, { "d", 86400000000000 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(units); i++)
		if (strlen(units[i].name) == len && !memcmp(text, units[i].name, len))
			return units[i].nsecs;
	return 0;
}

/* "100ms" */
static uint64_t duration(struct lex *lex, uint64_t value, size_t from)
{
	struct source *s = source(lex);
	uint64_t nsecs;
	size_t n = 0;

	while (n < 3 && lex_name_char(peek(lex, n)))
		n++;
	nsecs = lex_duration(s->text + s->at, n);
	if (!nsecs)
		return value;
	s->at += n;
	if (__builtin_mul_overflow(value, nsecs, &value))
		front_fail(lex->f, pos_of(lex, from), "a number has 64 bits");
	return value;
}

static void lex_int(struct lex *lex)
{
	struct source *s = source(lex);
	struct token *t = &lex->token;
	uint64_t value = 0;
	size_t from = s->at;
	unsigned int base = 10;
	int d;

	if (peek(lex, 0) == '0' && (peek(lex, 1) | 0x20) == 'x') {
		base = 16;
		s->at += 2;
	} else if (peek(lex, 0) == '0') {
		base = 8;
	}
	for (;; s->at++) {
		if (peek(lex, 0) == '_')
			continue;
		d = hex(peek(lex, 0));
		if (d < 0 || (unsigned int)d >= base)
			break;
		if (__builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, (unsigned int)d, &value))
			front_fail(lex->f, pos_of(lex, from), "a number has 64 bits");
	}
	if (base == 10 && peek(lex, 0) == 'e' && digit(peek(lex, 1)))
		value = exponent(lex, value, from);
	while (peek(lex, 0) && strchr("uUlL", peek(lex, 0)) &&
	       !(peek(lex, 0) == 'u' && peek(lex, 1) == 's')) {
		t->is_unsigned |= (peek(lex, 0) | 0x20) == 'u';
		s->at++;
	}
	if (base != 16)
		value = duration(lex, value, from);
	if (lex_name_char(peek(lex, 0))) {
		while (lex_name_char(peek(lex, 0)))
			s->at++;
		front_fail(lex->f, pos_of(lex, from), "this is no number");
	}
	t->kind = T_INT;
	t->value = (int64_t)value;
	t->is_unsigned |= value > INT64_MAX;
}

/* $name, $1, $#, @name */
static void lex_sigil(struct lex *lex, char sigil)
{
	struct source *s = source(lex);
	struct token *t = &lex->token;
	size_t from = s->at++;

	if (sigil == '$' && peek(lex, 0) == '#') {
		s->at++;
		t->kind = T_PARAM;
		return;
	}
	if (sigil == '$' && digit(peek(lex, 0))) {
		t->kind = T_PARAM;
		while (digit(peek(lex, 0)) && t->value < 100000)
			t->value = t->value * 10 + s->text[s->at++] - '0';
		if (!t->value)
			front_fail(lex->f, pos_of(lex, from), "parameters begin with $1");
		return;
	}
	while (lex_name_char(peek(lex, 0)))
		s->at++;
	t->kind = sigil == '$' ? T_VAR : T_MAP;
	t->text = front_text(lex->f, s->text + from, s->at - from);
	if (sigil == '$' && s->at == from + 1)
		front_fail(lex->f, pos_of(lex, from), "a variable has a name: $x");
}

static void lex_punct(struct lex *lex)
{
	static const struct {
		char text[4];
		int punct;
	} longer[] = {
		{ "<<=", P_ASSIGN + P_SHL }, { ">>=", P_ASSIGN + P_SHR },
		{ "==", P_EQ }, { "!=", P_NE }, { "<=", P_LE }, { ">=", P_GE },
		{ "&&", P_AND }, { "||", P_OR }, { "<<", P_SHL }, { ">>", P_SHR },
		{ "++", P_INC }, { "--", P_DEC }, { "->", P_ARROW }, { "..", P_RANGE },
		{ "+=", P_ASSIGN + '+' }, { "-=", P_ASSIGN + '-' },
		{ "*=", P_ASSIGN + '*' }, { "/=", P_ASSIGN + '/' },
		{ "%=", P_ASSIGN + '%' }, { "&=", P_ASSIGN + '&' },
		{ "|=", P_ASSIGN + '|' }, { "^=", P_ASSIGN + '^' },
	};
	struct source *s = source(lex);
	struct token *t = &lex->token;
	size_t i, n;

	t->kind = T_PUNCT;
	for (i = 0; i < ARRAY_SIZE(longer); i++) {
		n = strlen(longer[i].text);
		if (s->len - s->at >= n &&
		    !memcmp(s->text + s->at, longer[i].text, n)) {
			t->punct = longer[i].punct;
			s->at += n;
			return;
		}
	}
	t->punct = (unsigned char)s->text[s->at++];
	if (!t->punct || !strchr("+-*/%&|^~!<>=?:;,.(){}[]", t->punct)) {
		s->at--;
		front_fail(lex->f, (struct pos){ pos_of(lex, s->at).at, 1 },
			   "this character has no meaning here");
	}
}

void lex_next(struct lex *lex)
{
	struct token *t = &lex->token;
	struct source *s;
	size_t from;
	char c;

again:
	lex_skip(lex);
	memset(t, 0, sizeof(*t));
	s = source(lex);
	from = s->at;
	t->first = from && begins_line(s);
	c = peek(lex, 0);
	if (s->at >= s->len) {
		t->kind = T_END;
	} else if (digit(c)) {
		lex_int(lex);
	} else if (c == '"' || c == '\'') {
		lex_string(lex, c);
	} else if (c == '$' || c == '@') {
		lex_sigil(lex, c);
	} else if (lex_name_char(c)) {
		while (lex_name_char(peek(lex, 0)))
			s->at++;
		t->kind = T_NAME;
		t->text = front_text(lex->f, s->text + from, s->at - from);
		if (preprocess_replace(lex, t->text, pos_of(lex, from)))
			goto again;
	} else {
		lex_punct(lex);
	}
	t->pos = pos_of(lex, from);
}

bool lex_back(struct lex *lex)
{
	if (lex->depth)
		return false;
	if (lex->token.kind != T_END)
		lex->sources[0].at = lex->token.pos.at;
	return true;
}

void lex_begin(struct lex *lex, struct front *f)
{
	memset(lex, 0, sizeof(*lex));
	lex->f = f;
	lex->sources[0].text = f->text;
	lex->sources[0].len = f->len;
}
