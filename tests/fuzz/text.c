// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fuzz text: what is printed of texts that are a target's (printable.c,
 * output.c), and the checks of what was printed.
 *
 * Invariant: nothing but printable UTF-8, blanks, tabulators and new lines comes
 * out; JSON is valid.
 */
#include "fuzz.h"

#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a reader of JSON that only says whether it is some ------------------------- */

static const char *blank(const char *s)
{
	return s + strspn(s, " \t\r\n");
}

static const char *string(const char *s)
{
	if (*s++ != '"')
		return NULL;
	for (; *s != '"'; s++) {
		if ((unsigned char)*s < 0x20)
			return NULL;
		if (*s != '\\')
			continue;
		s++;
		if (*s == 'u') {
			if (strspn(s + 1, "0123456789abcdefABCDEF") < 4)
				return NULL;
			s += 4;
		} else if (!*s || !strchr("\"\\/bfnrt", *s)) {
			return NULL;
		}
	}
	return s + 1;
}

static const char *value(const char *s, int depth);

/* Behind the bracket. */
static const char *list(const char *s, char end, int depth)
{
	s = blank(s);
	if (*s == end)
		return s + 1;
	for (;; s++) {
		if (end == '}') {
			s = string(blank(s));
			s = s ? blank(s) : NULL;
			if (!s || *s++ != ':')
				return NULL;
		}
		s = value(s, depth + 1);
		s = s ? blank(s) : NULL;
		if (!s || (*s != ',' && *s != end))
			return NULL;
		if (*s == end)
			return s + 1;
	}
}

static const char *value(const char *s, int depth)
{
	static const char *const words[] = { "true", "false", "null" };
	size_t i;
	char *end;

	s = blank(s);
	if (depth > 20)
		return NULL;
	if (*s == '[' || *s == '{')
		return list(s + 1, *s == '[' ? ']' : '}', depth);
	if (*s == '"')
		return string(s);
	for (i = 0; i < 3; i++)
		if (!strncmp(s, words[i], strlen(words[i])))
			return s + strlen(words[i]);
	strtod(s, &end);
	return end == s ? NULL : end;
}

/* ---- what was printed --------------------------------------------------------------- */

const char *fuzz_check_printed(bool json)
{
	size_t len, at = 0;
	const char *text = fuzz_printed(&len), *end;

	while (at < len) {
		int nr = cli_character(text + at, len - at);

		if (nr <= 0 && text[at] != '\n' && text[at] != '\t')
			return "a control character was printed";
		at += nr > 0 ? (size_t)nr : 1;
	}
	if (!json)
		return NULL;
	end = value(text, 0);
	return end && !*blank(end) && strlen(text) == len ? NULL
							 : "not JSON";
}

/* ---- the target ---------------------------------------------------------------------- */

static size_t sample(uint8_t *bytes, size_t room, uint64_t *random)
{
	static const char *const parts[] = {
		"plain", "\033[31m", "\302\233", "\342\200\256", "\360\237\230\200",
		"\xff\xfe", "\n", "\t", "\"", "\\", "\355\240\200", "\300\200",
		"\364\220\200\200", "\001", "k  malloc+0x0", "\357\273\277",
	};
	size_t len = 0, nr = fuzz_random(random) % 40;

	while (nr-- && len + 16 < room) {
		const char *part = parts[fuzz_random(random) %
					 (sizeof(parts) / sizeof(parts[0]))];

		memcpy(bytes + len, part, strlen(part));
		len += strlen(part);
	}
	return len;
}

static const char *run(const uint8_t *bytes, size_t len)
{
	char *text = malloc(len + 1), *escaped;
	const char *wrong;

	memcpy(text, bytes, len);
	text[len] = 0;
	/* As any forgetful place would print it. */
	fwrite(bytes, 1, len / 2, stdout);
	fflush(stdout);
	fwrite(bytes + len / 2, 1, len - len / 2, stdout);
	fputs("\n", stdout);
	wrong = fuzz_check_printed(false);
	cli_print_line(text, len);
	if (!wrong)
		wrong = fuzz_check_printed(false);
	cli_json_string(text, len);
	if (!wrong)
		wrong = fuzz_check_printed(true);
	escaped = cli_escaped(text);
	if (escaped && cli_shown(escaped, strlen(escaped)) != strlen(escaped))
		wrong = "an escaped text is not to be shown";
	free(escaped);
	free(text);
	return wrong;
}

const struct fuzz_target fuzz_text = {
	.name = "text", .sample = sample, .run = run,
};
