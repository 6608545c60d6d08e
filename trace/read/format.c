// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * format.c - printf: a format and the values of an event.
 *
 * Owns: what conversions do.  Numbers go through libc's printf, in a format made
 * here of flags, width and precision; all else is a text first, then padded.
 * Values are hostile, the format is the script's.
 */
#include "read.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WIDTH_MAX 4096

/* "%-08.3llx", taken apart. */
struct conversion {
	char flags[6];
	int width, precision;		/* precision -1: none */
	bool star;			/* the width is a value */
	int size;			/* of the number in bytes; 0: not said */
	char letter;
	char hex;			/* behind an r: x, h, or 0 */
};

static const char *number_of(const char *at, int *number)
{
	for (*number = 0; *at >= '0' && *at <= '9'; at++)
		if (*number < WIDTH_MAX)
			*number = *number * 10 + (*at - '0');
	if (*number > WIDTH_MAX)
		*number = WIDTH_MAX;
	return at;
}

/* at is behind the '%'; what is behind the conversion. */
static const char *take_apart(const char *at, struct conversion *c)
{
	size_t flags = strspn(at, "-+ #0"), i;
	int h = 0, longs = 0;

	*c = (struct conversion){ .precision = -1 };
	for (i = 0; i < flags; i++)
		if (!strchr(c->flags, at[i]))
			c->flags[strlen(c->flags)] = at[i];
	at += flags;
	c->star = *at == '*';
	at = number_of(at + c->star, &c->width);
	if (*at == '.')
		at = number_of(at + 1, &c->precision);
	for (; *at && strchr("hlzjt", *at); at++) {
		h += *at == 'h';
		longs += *at != 'h';
	}
	c->size = longs ? 8 : h > 1 ? 1 : h ? 2 : 0;
	c->letter = *at;
	if (*at == 'r' && (at[1] == 'x' || at[1] == 'h'))
		c->hex = *++at;
	return *at ? at + 1 : at;
}

/*
 * What has no type, as arg0, is 64 bits wide: an int's errno then looks like a large
 * number.
 */
static bool is_errno(const struct read_value *value, s64 number)
{
	return value->type->size == 8 && !value->type->sign && number >= (s64)UINT32_MAX - 4094 &&
	       number <= (s64)UINT32_MAX;
}

static s64 cut(const struct conversion *c, const struct read_value *value)
{
	bool sign = c->letter == 'd' || c->letter == 'i';
	s64 number = read_number(value);

	switch (c->size) {
	case 1:
		return sign ? (s8)number : (u8)number;
	case 2:
		return sign ? (s16)number : (u16)number;
	case 8:
		return number;
	default:
		if (sign)
			return is_errno(value, number) ? (s32)number : number;
		/* As C's; a pointer is one whole. */
		if (c->letter == 'u' && value->type->size == 8)
			return number;
		return value->type->kind == TRACE_POINTER ? number : (u32)number;
	}
}

static void put_number(const struct conversion *c, const struct read_value *value,
		       struct read_text *text)
{
	char format[64];
	int len;

	len = snprintf(format, sizeof(format), "%%%s", c->flags);
	if (c->width)
		len += snprintf(format + len, sizeof(format) - (size_t)len, "%d",
				c->width);
	if (c->precision >= 0)
		len += snprintf(format + len, sizeof(format) - (size_t)len, ".%d",
				c->precision);
	snprintf(format + len, sizeof(format) - (size_t)len, "%.*s%c",
		 (int)sizeof(PRIu64) - 2, PRIu64, c->letter);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	read_printf(text, format, cut(c, value));
#pragma GCC diagnostic pop
}

static void put_padded(const struct conversion *c, const char *bytes, size_t len,
		       struct read_text *text)
{
	bool left = strchr(c->flags, '-');
	size_t pad;

	if (c->precision >= 0 && len > (size_t)c->precision)
		len = (size_t)c->precision;
	pad = (size_t)c->width > len ? (size_t)c->width - len : 0;
	read_fill(text, ' ', left ? 0 : pad);
	read_put(text, bytes, len);
	read_fill(text, ' ', left ? pad : 0);
}

static void put_shown(const struct trace_reader *reader, const struct conversion *c,
		      const struct read_value *value, struct read_text *text)
{
	struct read_text shown = { 0 };

	read_show(reader, value, &shown);
	put_padded(c, shown.bytes, shown.len, text);
	read_text_free(&shown);
}

static void put_value(const struct trace_reader *reader, const struct conversion *c,
		      const struct read_value *value, struct read_text *text)
{
	struct read_text shown = { 0 };
	char byte;

	switch (c->letter) {
	case 'd': case 'i': case 'u': case 'x': case 'X': case 'o':
		put_number(c, value, text);
		break;
	case 'c':
		byte = (char)read_number(value);
		put_padded(c, &byte, 1, text);
		break;
	case 'p':
		read_printf(&shown, read_number(value) ? "0x%" PRIx64 : "(nil)",
			    read_number(value));
		put_padded(c, shown.bytes, shown.len, text);
		read_text_free(&shown);
		break;
	case 'r':
		if (c->hex) {
			read_show_hex(value, c->hex == 'x' ? "\\x" : "", c->hex == 'h' ? " " : "",
				      &shown);
			put_padded(c, shown.bytes, shown.len, text);
			read_text_free(&shown);
			break;
		}
		put_shown(reader, c, value, text);
		break;
	default:
		put_shown(reader, c, value, text);
	}
}

void read_format(const struct trace_reader *reader, const struct kt_vm *vm,
		 const struct trace_event *event, const u8 *bytes, u32 len,
		 struct read_text *text)
{
	const char *at = event->format ? event->format : "", *percent, *behind;
	struct read_value value;
	struct conversion c;
	u32 field = 0;
	s64 width;

	while ((percent = strchr(at, '%'))) {
		read_put(text, at, (size_t)(percent - at));
		behind = take_apart(percent + 1, &c);
		at = behind;
		if (c.letter == '%') {
			read_puts(text, "%");
			continue;
		}
		if (c.star && field < event->fields_nr) {
			value = read_field(&event->fields[field++], vm, bytes, len);
			width = read_number(&value);
			c.width = width < 0 ? 0 : width > WIDTH_MAX ? WIDTH_MAX :
				  (int)width;
		}
		if (c.letter && field < event->fields_nr) {
			value = read_field(&event->fields[field++], vm, bytes, len);
			put_value(reader, &c, &value, text);
		} else {
			read_put(text, percent, (size_t)(behind - percent));
		}
	}
	read_puts(text, at);
}
