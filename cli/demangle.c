// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * demangle.c - names as they are written in C++ and Rust sources.
 *
 * Owns: the way to the C++ library's demangler, if there is one.  It is opened before the jail
 * closes and called inside, since names are hostile input.  Rust's older names are C++'s with a
 * hash at the end.  Its newer names (_R…) are not demangled.
 */
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
	int status = -1;
	char *made;

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

bool demangle_is(const char *name, const char *text)
{
	const char *full = demangle(name);

	return full && !strcmp(full, text);
}

bool demangle_matches(const char *name, const char *pattern)
{
	const char *full = demangle(name);
	char cut[4096];
	size_t len;

	if (!full)
		return false;
	if (fits(pattern, full))
		return true;
	len = without_parameters(full);
	if (len >= sizeof(cut))
		return false;
	memcpy(cut, full, len);
	cut[len] = 0;
	/* "twice" is what instances of twice<T> are of. */
	if (len && cut[len - 1] == '>' && !strchr(pattern, '<'))
		cut[strcspn(cut, "<")] = 0;
	return fits(pattern, cut);
}

const char *demangle_owner_end(const char *text)
{
	const char *colon = strchr(text, ':');

	return colon && colon[1] != ':' ? colon : NULL;
}
