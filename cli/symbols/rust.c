// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * rust.c - Rust's newer names (_R...), as the source writes them.
 *
 * Owns: rust_demangle.  A name is a path of identifiers, with types and constants between, and
 * references backwards.  Names are hostile input: depth, steps and length have bounds.
 */
#include "rust.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#define DEPTH_MAX 64
#define STEPS_MAX 4096

struct reading {
	const char *name;		/* behind "_R" */
	size_t at, len;
	char *to;
	size_t used, room;
	unsigned int depth, steps;
	bool quiet;			/* what is read is not shown */
	bool wrong;
};

static void path(struct reading *r, bool in_value);
static void type(struct reading *r);

static void put_len(struct reading *r, const char *text, size_t len)
{
	if (r->quiet || r->wrong)
		return;
	if (len >= r->room - r->used) {
		r->wrong = true;
		return;
	}
	memcpy(r->to + r->used, text, len);
	r->used += len;
	r->to[r->used] = 0;
}

static void put(struct reading *r, const char *text)
{
	put_len(r, text, strlen(text));
}

static void put_number(struct reading *r, uint64_t value)
{
	char text[24];
	size_t at = sizeof(text);

	do
		text[--at] = (char)('0' + value % 10);
	while (value /= 10);
	put_len(r, text + at, sizeof(text) - at);
}

static char peek(const struct reading *r)
{
	return r->wrong || r->at >= r->len ? 0 : r->name[r->at];
}

static bool take(struct reading *r, char c)
{
	if (!c || peek(r) != c)
		return false;
	r->at++;
	return true;
}

static char next(struct reading *r)
{
	char c = peek(r);

	r->wrong |= !c;
	r->at += c != 0;
	return c;
}

static bool enter(struct reading *r)
{
	if (++r->depth > DEPTH_MAX || ++r->steps > STEPS_MAX)
		r->wrong = true;
	return !r->wrong;
}

/* "_" is 0, "0_" 1, and so on. */
static uint64_t base62(struct reading *r)
{
	uint64_t value = 0;
	char c;

	if (take(r, '_'))
		return 0;
	while ((c = next(r)) && c != '_') {
		if (!isalnum((unsigned char)c)) {
			r->wrong = true;
			return 0;
		}
		value = value * 62 + (uint64_t)(isdigit((unsigned char)c) ? c - '0' :
						islower((unsigned char)c) ? c - 'a' + 10 :
						c - 'A' + 36);
	}
	return value + 1;
}

static uint64_t disambiguator(struct reading *r)
{
	return take(r, 's') ? base62(r) + 1 : 0;
}

static void identifier(struct reading *r, const char **text, size_t *len)
{
	*len = 0;
	take(r, 'u');			/* in punycode: as it is */
	if (!isdigit((unsigned char)peek(r)))
		r->wrong = true;
	if (!take(r, '0'))
		while (isdigit((unsigned char)peek(r)) && *len <= r->len)
			*len = *len * 10 + (size_t)(next(r) - '0');
	take(r, '_');
	*text = r->name + r->at;
	if (r->wrong || *len > r->len - r->at)
		r->wrong = true;
	else
		r->at += *len;
	if (r->wrong)
		*len = 0;
}

/* What stood before is read again, from there. */
static void back(struct reading *r, void (*read)(struct reading *r, bool in_value), bool in_value)
{
	uint64_t to = base62(r);
	size_t was = r->at;

	if (to >= was) {
		r->wrong = true;
		return;
	}
	if (r->quiet)
		return;
	r->at = (size_t)to;
	read(r, in_value);
	r->at = was;
}

static void type_again(struct reading *r, bool in_value)
{
	(void)in_value;
	type(r);
}

static void constant(struct reading *r, bool in_value)
{
	uint64_t value = 0;
	char of, c;

	(void)in_value;
	if (take(r, 'B')) {
		back(r, constant, false);
		return;
	}
	of = next(r);
	if (of == 'p') {
		put(r, "_");
		return;
	}
	if (take(r, 'n'))
		put(r, "-");
	while ((c = next(r)) && c != '_')
		value = value << 4 | (uint64_t)(isdigit((unsigned char)c) ? c - '0' : c - 'a' + 10);
	if (of == 'b')
		put(r, value ? "true" : "false");
	else
		put_number(r, value);
}

static const char *basic(char c)
{
	static const char *const names[26] = {
		"i8", "bool", "char", "f64", "str", "f32", NULL, "u8", "isize", "usize", NULL,
		"i32", "u32", "i128", "u128", "_", NULL, NULL, "i16", "u16", "()", "...", NULL,
		"i64", "u64", "!",
	};

	return islower((unsigned char)c) ? names[c - 'a'] : NULL;
}

/* Types until E, between commas. */
static void types(struct reading *r)
{
	unsigned int nr = 0;

	while (!take(r, 'E') && !r->wrong) {
		put(r, nr++ ? ", " : "");
		type(r);
	}
}

static void function(struct reading *r)
{
	const char *text;
	size_t len;

	if (take(r, 'G'))
		base62(r);
	put(r, take(r, 'U') ? "unsafe " : "");
	if (take(r, 'K') && !take(r, 'C'))
		identifier(r, &text, &len);
	put(r, "fn(");
	types(r);
	put(r, ")");
	if (!take(r, 'u')) {
		put(r, " -> ");
		type(r);
	}
}

static void dynamic(struct reading *r)
{
	unsigned int nr = 0;
	const char *text;
	size_t len;

	if (take(r, 'G'))
		base62(r);
	put(r, "dyn ");
	while (!take(r, 'E') && !r->wrong) {
		put(r, nr++ ? " + " : "");
		path(r, false);
		while (take(r, 'p')) {
			put(r, "<");
			identifier(r, &text, &len);
			put_len(r, text, len);
			put(r, " = ");
			type(r);
			put(r, ">");
		}
	}
	if (take(r, 'L'))
		base62(r);
}

static void type(struct reading *r)
{
	char c = peek(r);

	if (!enter(r))
		return;
	if (basic(c)) {
		r->at++;
		put(r, basic(c));
	} else if (take(r, 'A')) {
		put(r, "[");
		type(r);
		put(r, "; ");
		constant(r, false);
		put(r, "]");
	} else if (take(r, 'S')) {
		put(r, "[");
		type(r);
		put(r, "]");
	} else if (take(r, 'T')) {
		put(r, "(");
		types(r);
		put(r, ")");
	} else if (c == 'R' || c == 'Q') {
		r->at++;
		if (take(r, 'L'))
			base62(r);
		put(r, c == 'R' ? "&" : "&mut ");
		type(r);
	} else if (c == 'P' || c == 'O') {
		r->at++;
		put(r, c == 'P' ? "*const " : "*mut ");
		type(r);
	} else if (take(r, 'F')) {
		function(r);
	} else if (take(r, 'D')) {
		dynamic(r);
	} else if (take(r, 'B')) {
		back(r, type_again, false);
	} else {
		path(r, false);
	}
	r->depth--;
}

static void generics(struct reading *r, bool in_value)
{
	unsigned int nr = 0;

	path(r, in_value);
	put(r, in_value ? "::<" : "<");
	while (!take(r, 'E') && !r->wrong) {
		if (take(r, 'L')) {
			base62(r);
			continue;
		}
		put(r, nr++ ? ", " : "");
		if (take(r, 'K'))
			constant(r, false);
		else
			type(r);
	}
	put(r, ">");
}

static void nested(struct reading *r, bool in_value)
{
	char space = next(r);
	uint64_t number;
	const char *text;
	size_t len;

	path(r, in_value);
	number = disambiguator(r);
	identifier(r, &text, &len);
	if (isupper((unsigned char)space)) {
		put(r, space == 'C' ? "::{closure" : space == 'S' ? "::{shim" : "::{");
		put(r, len ? ":" : "");
		put_len(r, text, len);
		put(r, "#");
		put_number(r, number);
		put(r, "}");
	} else if (len) {
		put(r, "::");
		put_len(r, text, len);
	}
}

/* <TYPE>, <TYPE as TRAIT>; in front the place of an impl is not shown. */
static void qualified(struct reading *r, bool impl, bool trait)
{
	bool was = r->quiet;

	if (impl) {
		r->quiet = true;
		disambiguator(r);
		path(r, false);
		r->quiet = was;
	}
	put(r, "<");
	type(r);
	if (trait) {
		put(r, " as ");
		path(r, false);
	}
	put(r, ">");
}

static void path(struct reading *r, bool in_value)
{
	const char *text;
	size_t len;

	if (!enter(r))
		return;
	switch (next(r)) {
	case 'C':
		disambiguator(r);
		identifier(r, &text, &len);
		put_len(r, text, len);
		break;
	case 'N':
		nested(r, in_value);
		break;
	case 'M':
		qualified(r, true, false);
		break;
	case 'X':
		qualified(r, true, true);
		break;
	case 'Y':
		qualified(r, false, true);
		break;
	case 'I':
		generics(r, in_value);
		break;
	case 'B':
		back(r, path, in_value);
		break;
	default:
		r->wrong = true;
	}
	r->depth--;
}

bool rust_demangle(const char *name, char *to, size_t room)
{
	struct reading r = { .to = to, .room = room };

	if (strncmp(name, "_R", 2) || !isupper((unsigned char)name[2]) || !room)
		return false;
	r.name = name + 2;
	r.len = strcspn(r.name, ".$");	/* what a vendor appends */
	path(&r, true);
	/* The crate that made the instance. */
	r.quiet = true;
	if (r.at < r.len && !r.wrong)
		path(&r, false);
	return !r.wrong && r.at == r.len && r.used;
}
