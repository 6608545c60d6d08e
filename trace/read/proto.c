// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * proto.c - messages of protocol buffers, as they are written.
 *
 * Owns: how a field is encoded: its number and kind, then a number, seven bits a byte,
 * or a length and bytes.
 */
#include "read.h"

enum { NUMBER, BYTES = 2 };

static void put_number(struct read_text *text, u64 value)
{
	char bytes[10];
	size_t nr = 0;

	for (; value >= 0x80; value >>= 7)
		bytes[nr++] = (char)(value | 0x80);
	bytes[nr++] = (char)value;
	read_put(text, bytes, nr);
}

void read_proto_number(struct read_text *text, u32 field, u64 value)
{
	put_number(text, field << 3 | NUMBER);
	put_number(text, value);
}

static void put_bytes(struct read_text *text, u32 field, const char *bytes, size_t len)
{
	put_number(text, field << 3 | BYTES);
	put_number(text, len);
	read_put(text, bytes, len);
}

/* A string is UTF-8: what is none is replaced. */
void read_proto_string(struct read_text *text, u32 field, const char *bytes, size_t len)
{
	struct read_text clean = { 0 };
	size_t at, nr;

	for (at = 0; at < len; at += nr ? nr : 1) {
		nr = read_character(bytes + at, len - at);
		read_put(&clean, nr ? bytes + at : "\xef\xbf\xbd", nr ? nr : 3);
	}
	put_bytes(text, field, clean.bytes, clean.len);
	read_text_free(&clean);
}

void read_proto_message(struct read_text *text, u32 field, struct read_text *message)
{
	put_bytes(text, field, message->bytes, message->len);
	message->len = 0;
}
