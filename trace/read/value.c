// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * value.c - a value as text, and as JSON.
 *
 * Owns: what each kind of type looks like.  A value is hostile: what lies behind
 * its end is 0, lengths in it are compared with what is there.
 */
#include "read.h"

#include <inttypes.h>
#include <arpa/inet.h>
#include <string.h>

static u64 word_of(const struct read_value *value, u32 at)
{
	return read_word(value->bytes, value->len, at);
}

/* ---- kinds -------------------------------------------------------------------- */

static void show_int(const struct read_value *value, struct read_text *text)
{
	s64 number = read_number(value);

	if (value->type->kind == TRACE_INT && !value->type->sign)
		read_printf(text, "%" PRIu64, (u64)number);
	else
		read_printf(text, "%" PRId64, number);
}

static void show_string(const struct read_value *value, struct read_text *text)
{
	const char *string = (const char *)value->bytes;

	read_put(text, string, strnlen(string, value->len));
}

/* What is no printable ASCII is \xNN. */
static void show_buffer(const struct read_value *value, struct read_text *text)
{
	u64 len = word_of(value, 0);
	u32 left = value->len > 8 ? value->len - 8 : 0, i;

	for (i = 0; i < left && i < len; i++) {
		u8 c = value->bytes[8 + i];

		if (c >= 0x20 && c < 0x7f)
			read_put(text, (const char *)&c, 1);
		else
			read_printf(text, "\\x%02x", c);
	}
}

static void show_inet(const struct read_value *value, struct read_text *text)
{
	int family = word_of(value, 0) == AF_INET6 ? AF_INET6 : AF_INET;
	u64 address[2] = { word_of(value, 8), word_of(value, 16) };
	char shown[INET6_ADDRSTRLEN];

	if (inet_ntop(family, address, shown, sizeof(shown)))
		read_puts(text, shown);
}

static void show_username(const struct trace_reader *reader,
			  const struct read_value *value, struct read_text *text)
{
	const struct trace_symbols *symbols = &reader->symbols;
	u64 uid = word_of(value, 0);
	char name[256];

	if (symbols->user && symbols->user(symbols->arg, uid, name, sizeof(name)))
		read_put(text, name, strnlen(name, sizeof(name)));
	else
		read_printf(text, "%" PRIu64, uid);
}

/* "BEGIN", "interval:s:1". */
static void show_block(const struct trace_reader *reader, u64 number,
		       struct read_text *text)
{
	const struct trace_script *script = reader->script;
	u64 ms;

	if (number >= script->blocks_nr)
		return;
	ms = script->blocks[number].nsecs / 1000000;
	switch (script->blocks[number].kind) {
	case TRACE_BEGIN:
		read_puts(text, "BEGIN");
		break;
	case TRACE_END:
		read_puts(text, "END");
		break;
	case TRACE_INTERVAL:
		if (ms && ms % 1000 == 0)
			read_printf(text, "interval:s:%" PRIu64, ms / 1000);
		else
			read_printf(text, "interval:ms:%" PRIu64, ms);
		break;
	}
}

/* Blocks have the numbers behind those of the probes. */
static void show_probe(const struct trace_reader *reader,
		       const struct read_value *value, struct read_text *text)
{
	const struct trace_script *script = read_script(reader, value->vm);
	u64 number = word_of(value, 0);

	if (number < script->probes_nr)
		read_puts(text, script->probes[number].name);
	else
		show_block(reader, number - script->probes_nr, text);
}

/* As functions of the kernel return it, or as C's library keeps it. */
static void show_errno(const struct read_value *value, struct read_text *text)
{
	s64 number = (s64)word_of(value, 0);

	if (number < 0)
		number = -(u64)number;
	if (number >= 0 && number < 4096)
		read_puts(text, strerror((int)number));
	else
		read_printf(text, "%" PRId64, (s64)word_of(value, 0));
}

static void show_mac(const struct read_value *value, struct read_text *text)
{
	u64 word = word_of(value, 0);
	const u8 *b = (const u8 *)&word;

	read_printf(text, "%02X:%02X:%02X:%02X:%02X:%02X", b[0], b[1], b[2], b[3],
		    b[4], b[5]);
}

static void show_enum(const struct read_value *value, struct read_text *text)
{
	const struct ctype *c = value->type->c;
	s64 number = read_number(value);
	u32 i;

	for (i = 0; c && c->values && i < c->fields_nr; i++)
		if (c->values[i] == number) {
			read_puts(text, c->fields[i].name);
			return;
		}
	read_printf(text, value->type->sign ? "%" PRId64 : "%" PRIu64, number);
}

static void show_tuple(const struct trace_reader *reader,
		       const struct read_value *value, struct read_text *text)
{
	u32 i;

	read_puts(text, "(");
	for (i = 0; i < value->type->fields_nr; i++) {
		struct read_value field = read_field(&value->type->fields[i], value->vm,
						     value->bytes, value->len);

		read_puts(text, i ? ", " : "");
		read_show(reader, &field, text);
	}
	read_puts(text, ")");
}

/* ---- all of them ---------------------------------------------------------------- */

void read_show(const struct trace_reader *reader, const struct read_value *value,
	       struct read_text *text)
{
	switch (value->type->kind) {
	case TRACE_NONE:
		break;
	case TRACE_INT:
		show_int(value, text);
		break;
	case TRACE_BOOL:
		read_puts(text, word_of(value, 0) ? "true" : "false");
		break;
	case TRACE_POINTER:
		read_printf(text, "0x%" PRIx64, word_of(value, 0));
		break;
	case TRACE_STRING:
		show_string(value, text);
		break;
	case TRACE_BUFFER:
		show_buffer(value, text);
		break;
	case TRACE_KSYM:
		read_show_symbol(reader, true, 0, word_of(value, 0), 0, text);
		break;
	case TRACE_USYM:
		read_show_symbol(reader, false,
				 read_whose(reader, value->vm, (u32)word_of(value, 8)),
				 word_of(value, 0), 0, text);
		break;
	case TRACE_FUNC:
		read_show_symbol(reader, (s64)word_of(value, 0) < 0,
				 read_whose(reader, value->vm, 0), word_of(value, 0),
				 0, text);
		break;
	case TRACE_KSTACK:
	case TRACE_USTACK:
		read_show_stack(reader, value, text);
		break;
	case TRACE_INET:
		show_inet(value, text);
		break;
	case TRACE_USERNAME:
		show_username(reader, value, text);
		break;
	case TRACE_PROBE:
		show_probe(reader, value, text);
		break;
	case TRACE_TIME:
		read_strftime(value->type->format, word_of(value, 0), text);
		break;
	case TRACE_ENUM:
		show_enum(value, text);
		break;
	case TRACE_MAC:
		show_mac(value, text);
		break;
	case TRACE_ERRNO:
		show_errno(value, text);
		break;
	case TRACE_TUPLE:
		show_tuple(reader, value, text);
		break;
	}
}

void read_show_json(const struct trace_reader *reader,
		    const struct read_value *value, struct read_text *text)
{
	struct read_text plain = { 0 };
	u32 i;

	switch (value->type->kind) {
	case TRACE_INT:
		show_int(value, text);
		break;
	case TRACE_BOOL:
		read_puts(text, word_of(value, 0) ? "true" : "false");
		break;
	case TRACE_POINTER:
		read_printf(text, "%" PRIu64, word_of(value, 0));
		break;
	case TRACE_TUPLE:
		read_puts(text, "[");
		for (i = 0; i < value->type->fields_nr; i++) {
			struct read_value field =
				read_field(&value->type->fields[i], value->vm,
					   value->bytes, value->len);

			read_puts(text, i ? "," : "");
			read_show_json(reader, &field, text);
		}
		read_puts(text, "]");
		break;
	default:
		read_show(reader, value, &plain);
		read_puts(text, "\"");
		read_escape(text, plain.bytes, plain.len);
		read_puts(text, "\"");
		read_text_free(&plain);
	}
}
