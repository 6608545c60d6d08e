// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * demangle.c - names as they are written in C++ and Rust sources.
 *
 * Owns: the way to the C++ library's demangler, if there is one.  It is opened before the jail
 * closes and called inside, since names are hostile input.  Rust's older names are C++'s with a
 * hash at the end; its newer names (_R...) are rust.c's.
 */
#include "copies.h"
#include "rust.h"
#include "symbols.h"

#include <ctype.h>
#include <dlfcn.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_LEN 1000		/* the demangler recurses */

static char *(*demangler)(const char *name, char *buf, size_t *len,
			  int *status);

void demangle_begin(void)
{
	void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);

	if (library)
		demangler = (__typeof__(demangler))dlsym(library,
							 "__cxa_demangle");
}

/* "::h" and 16 digits. */
static void cut_hash(char *name)
{
	size_t len = strlen(name), i;

	if (len < 19 || strncmp(name + len - 19, "::h", 3))
		return;
	for (i = len - 16; i < len; i++)
		if (!isxdigit((unsigned char)name[i]))
			return;
	name[len - 19] = 0;
}

const char *demangle(const char *name)
{
	static char *text;
	static size_t room;
	static char rust[4096];
	int status = -1;
	char *made;

	if (rust_demangle(name, rust, sizeof(rust)))
		return rust;
	if (!demangler || strncmp(name, "_Z", 2) ||
	    strlen(name) > NAME_MAX_LEN)
		return NULL;
	made = demangler(name, text, &room, &status);
	if (status || !made)
		return NULL;
	text = made;
	cut_hash(text);
	return text;
}

/* Of a copy that a compiler has made: what all copies are called. */
static const char *demangle_base(const char *name)
{
	char base[NAME_MAX_LEN + 1];
	bool part;
	size_t len = copies_base(name, &part);

	if (len >= sizeof(base) || !name[len])
		return demangle(name);
	memcpy(base, name, len);
	base[len] = 0;
	return demangle(base);
}

/* Where its parameters begin, or its end. */
static size_t without_parameters(const char *name)
{
	size_t len = strlen(name), depth = 0;

	/* From the end: "operator()(int) const". */
	while (len && name[len - 1] != ')')
		len--;
	while (len) {
		char c = name[--len];

		depth += c == ')';
		depth -= c == '(';
		if (!depth && c == '(')
			return len;
	}
	return strlen(name);
}

/* A template's begins with the type that it returns. */
static bool fits(const char *pattern, const char *name)
{
	char behind_type[1024];

	if (!fnmatch(pattern, name, 0))
		return true;
	if (snprintf(behind_type, sizeof(behind_type), "* %s", pattern) >=
	    (int)sizeof(behind_type))
		return false;
	return !fnmatch(behind_type, name, 0);
}

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* Where the word that begins at text ends, with what qualifies it: "ns::type". */
static size_t word_len(const char *text)
{
	size_t len = 0;

	while (in_word(text[len]) || (text[len] == ':' && text[len + 1] == ':' && len++ + 1))
		len++;
	return len;
}

/*
 * "const char *" and "char const*" are the same: spaces are kept between words only,
 * and const stands behind what it belongs to.  false: there is no room.
 */
static bool plain(const char *from, char *to, size_t room)
{
	size_t len = 0, word, i;
	bool is_const = false;

	while (*from) {
		if (*from == ' ') {
			from++;
			if (len && !strchr("(<, ", to[len - 1]) && in_word(*from))
				to[len++] = ' ';
		} else if (!strncmp(from, "const ", 6) && in_word(from[6]) &&
			   (!len || strchr("(<,", to[len - 1]))) {
			is_const = true;
			from += 6;
		} else if (in_word(*from)) {
			word = word_len(from);
			if (len + word + 16 > room)
				return false;
			memcpy(to + len, from, word);
			len += word;
			from += word;
			for (i = 0; from[i] == ' ';)
				i++;
			/* "unsigned long" is one type. */
			if (is_const && !(i && in_word(from[i]))) {
				memcpy(to + len, " const", 6);
				len += 6;
				is_const = false;
			}
		} else {
			to[len++] = *from++;
		}
		if (len + 16 > room)
			return false;
	}
	to[len] = 0;
	return true;
}

/*
 * Demangling takes its time: a plain word that is nowhere in the linker's name is no
 * part of the source's, either.
 */
static bool may_match(const char *name, const char *pattern)
{
	size_t len = strlen(pattern);

	return (!strncmp(name, "_Z", 2) || !strncmp(name, "_R", 2)) &&
	       (strspn(pattern, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			"0123456789_") != len || strstr(name, pattern));
}

/* What compilers have for spaces that the source gives no name. */
static const char unnamed[] = "(anonymous namespace)::";

/* As people write it, who give no name to what has none. */
static void leave_out_unnamed(char *name)
{
	const size_t len = sizeof(unnamed) - 1;
	char *at;

	while ((at = strstr(name, unnamed)))
		memmove(at, at + len, strlen(at + len) + 1);
}

/* What follows the parameters of a member: " const", "const&". */
static void leave_out_qualifiers(char *name)
{
	char *end = strrchr(name, ')');

	if (end)
		end[1] = 0;
}

bool demangle_is(const char *name, const char *text)
{
	const char *source = demangle_base(name);
	char full[4096], asked[1024];

	if (!source || !plain(source, full, sizeof(full)) || !plain(text, asked, sizeof(asked)))
		return false;
	if (!strcmp(full, asked))
		return true;
	leave_out_unnamed(full);
	return !strcmp(full, asked);
}

/* full is cut to pieces. */
static bool fits_with_or_without(const char *asked, char *full)
{
	size_t len;

	if (fits(asked, full))
		return true;
	if (*asked && asked[strlen(asked) - 1] == ')') {
		leave_out_qualifiers(full);
		return fits(asked, full);
	}
	len = without_parameters(full);
	full[len] = 0;
	if (fits(asked, full))
		return true;
	/* "twice" is what instances of twice<T> are of. */
	if (len && full[len - 1] == '>' && !strchr(asked, '<'))
		full[strcspn(full, "<")] = 0;
	return fits(asked, full);
}

bool demangle_matches(const char *name, const char *pattern)
{
	char full[4096], shorter[4096], asked[1024];
	const char *source;

	if (!may_match(name, pattern))
		return false;
	source = demangle_base(name);
	if (!source || !plain(source, full, sizeof(full)) ||
	    !plain(pattern, asked, sizeof(asked)))
		return false;
	strcpy(shorter, full);
	leave_out_unnamed(shorter);
	return fits_with_or_without(asked, full) || fits_with_or_without(asked, shorter);
}

const char *demangle_owner_end(const char *text)
{
	const char *colon = strchr(text, ':');

	return colon && colon[1] != ':' ? colon : NULL;
}
