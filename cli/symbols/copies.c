// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * copies.c - what compilers append to a function's name.
 *
 * Owns: which endings there are.  A copy is a whole function that serves some callers; a part is
 * what was taken out of one, and is no function that anybody calls.
 */
#include "copies.h"

#include <ctype.h>
#include <string.h>

static const struct {
	const char *word;
	bool part;
	bool alone;			/* no number need follow */
} endings[] = {
	{ "constprop", false, false }, { "isra", false, false }, { "lto_priv", false, false },
	{ "llvm", false, false }, { "__uniq", false, false }, { "clone", false, false },
	{ "specialized", false, false }, { "part", true, false }, { "cold", true, true },
};

/* Behind a dot and digits; NULL: there are none. */
static const char *behind_number(const char *text)
{
	const char *at = text + 1;

	if (*text != '.' || !isdigit((unsigned char)*at))
		return NULL;
	while (isdigit((unsigned char)*at))
		at++;
	return *at && *at != '.' ? NULL : at;
}

/* Behind one ending; NULL: it is none. */
static const char *behind_one(const char *text, bool *part)
{
	size_t i, len;

	for (i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		const char *at = text + 1, *behind;

		len = strlen(endings[i].word);
		if (strncmp(at, endings[i].word, len))
			continue;
		at += len;
		behind = behind_number(at);
		if (!behind && endings[i].alone && (!*at || *at == '.'))
			behind = at;
		if (!behind)
			continue;
		*part |= endings[i].part;
		return behind;
	}
	/* A function within one of GNU C's, or a local variable. */
	return behind_number(text);
}

bool copies_is_ending(const char *text, bool *part)
{
	*part = false;
	while (text && *text)
		text = *text == '.' ? behind_one(text, part) : NULL;
	return text;
}

size_t copies_base(const char *name, bool *part)
{
	const char *dot = name;

	while ((dot = strchr(dot + 1, '.')))
		if (copies_is_ending(dot, part))
			return (size_t)(dot - name);
	*part = false;
	return strlen(name);
}
