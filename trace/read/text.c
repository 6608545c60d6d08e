// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * text.c - growing texts.
 *
 * Owns: struct read_text, and escaping of bytes in JSON.  Texts are bytes: a string of a process
 * may contain any but 0.
 */
#include "read.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define SHORT 32			/* most of what is printed is shorter */

static bool make_room(struct read_text *text, size_t len)
{
	size_t room = text->room ? text->room : 256;
	char *bytes;

	if (len < text->room - text->len)
		return true;
	while (room - text->len <= len)
		room *= 2;
	bytes = realloc(text->bytes, room);
	if (!bytes)
		return false;
	text->bytes = bytes;
	text->room = room;
	return true;
}

void read_put(struct read_text *text, const char *bytes, size_t len)
{
	if (!len || !make_room(text, len))
		return;
	memcpy(text->bytes + text->len, bytes, len);
	text->len += len;
}

void read_puts(struct read_text *text, const char *string)
{
	read_put(text, string, strlen(string));
}

void read_printf(struct read_text *text, const char *format, ...)
{
	size_t room = SHORT, left;
	va_list args;
	int len;

	while (make_room(text, room)) {
		left = text->room - text->len;
		va_start(args, format);
		len = vsnprintf(text->bytes + text->len, left, format, args);
		va_end(args);
		if (len < 0)
			return;
		if ((size_t)len < left) {
			text->len += (size_t)len;
			return;
		}
		room = (size_t)len + 1;
	}
}

void read_fill(struct read_text *text, char c, size_t nr)
{
	if (!make_room(text, nr))
		return;
	memset(text->bytes + text->len, c, nr);
	text->len += nr;
}

void read_out(FILE *out, struct read_text *text)
{
	if (text->len)
		fwrite(text->bytes, 1, text->len, out);
	read_text_free(text);
}

void read_text_free(struct read_text *text)
{
	free(text->bytes);
	*text = (struct read_text){ 0 };
}

/* ---- JSON --------------------------------------------------------------------- */

size_t read_character(const char *bytes, size_t len)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *s = (const unsigned char *)bytes;
	size_t nr = s[0] < 0x80 ? 1 : s[0] >> 5 == 6 ? 2 : s[0] >> 4 == 14 ? 3 :
		    s[0] >> 3 == 30 ? 4 : 0;
	uint32_t c = nr == 1 ? s[0] : s[0] & (0x7fu >> nr);
	size_t i;

	if (!nr || nr > len)
		return 0;
	for (i = 1; i < nr; i++) {
		if (s[i] >> 6 != 2)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	return c < least[nr] || c > 0x10ffff || c >> 11 == 0x1b ? 0 : nr;
}

static void escape_one(struct read_text *text, unsigned char c)
{
	static const char letters[] = { ['\n'] = 'n', ['\t'] = 't', ['\r'] = 'r',
					['\b'] = 'b', ['\f'] = 'f',
					['"'] = '"', ['\\'] = '\\' };

	if (c < sizeof(letters) && letters[c])
		read_printf(text, "\\%c", letters[c]);
	else if (c < 0x20 || c == 0x7f)
		read_printf(text, "\\u%04x", c);
	else
		read_put(text, (const char *)&c, 1);
}

void read_escape(struct read_text *text, const char *bytes, size_t len)
{
	size_t at, nr;

	for (at = 0; at < len; at += nr ? nr : 1) {
		nr = read_character(bytes + at, len - at);
		if (nr == 1)
			escape_one(text, (unsigned char)bytes[at]);
		else if (nr)
			read_put(text, bytes + at, nr);
		else
			read_puts(text, "\xef\xbf\xbd");
	}
}
