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
#include <signal.h>
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

void read_show_hex(const struct read_value *value, const char *before, const char *between,
		   struct read_text *text)
{
	u64 len = word_of(value, 0);
	u32 left = value->len > 8 ? value->len - 8 : 0, i;

	for (i = 0; i < left && i < len; i++)
		read_printf(text, "%s%s%02x", i ? between : "", before, value->bytes[8 + i]);
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
	case TRACE_SIGNAL:
		read_puts(text, "self:signal:SIGUSR1");
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

static void show_syscall(const struct trace_reader *reader, const struct read_value *value,
			 struct read_text *text)
{
	s64 number = (s64)word_of(value, 0);
	const char *name = reader->symbols.syscall && number >= 0 && number <= INT32_MAX ?
			   reader->symbols.syscall((int32_t)number) : NULL;

	if (name)
		read_puts(text, name);
	else
		read_printf(text, "unknown syscall: %" PRId64, number);
}

static void show_signal(const struct read_value *value, struct read_text *text)
{
	s64 number = (s64)word_of(value, 0);
	const char *name = number > 0 && number < NSIG ? sigabbrev_np((int)number) : NULL;

	if (name)
		read_printf(text, "SIG%s", name);
	else
		read_printf(text, "%" PRId64, number);
}

static void show_mac(const struct read_value *value, struct read_text *text)
{
	u64 word = word_of(value, 0);
	const u8 *b = (const u8 *)&word;

	read_printf(text, "%02X:%02X:%02X:%02X:%02X:%02X", b[0], b[1], b[2], b[3],
		    b[4], b[5]);
}

/* An enumerator's name if it has one; c may be NULL. */
static void show_named(const struct ctype *c, s64 number, bool sign, struct read_text *text)
{
	u32 i;

	for (i = 0; c && c->values && i < c->fields_nr; i++)
		if (c->values[i] == number) {
			read_puts(text, c->fields[i].name);
			return;
		}
	read_printf(text, sign ? "%" PRId64 : "%" PRIu64, number);
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

/* ---- structures and arrays -------------------------------------------------------- */

#define RECORD_DEPTH 16

static void show_part(const struct ctype *c, const u8 *bytes, u32 len, int depth, bool json,
		      struct read_text *text);

static s64 part_number(const struct ctype *c, const u8 *bytes, u32 len)
{
	u64 word = read_word(bytes, len, 0);
	u32 left = c->size < 8 ? 64 - 8 * (u32)c->size : 0;

	return c->sign ? (s64)(word << left) >> left : (s64)(word << left >> left);
}

static void show_number(const struct ctype *c, s64 number, struct read_text *text)
{
	show_named(c->kind == CTYPE_ENUM ? c : NULL, number, c->sign, text);
}

static void show_array(const struct ctype *c, const u8 *bytes, u32 len, int depth, bool json,
		       struct read_text *text)
{
	u64 size = c->to ? c->to->size : 0, i;
	bool letters = c->to && c->to->kind == CTYPE_INT && size == 1 &&
		       (c->to->sign || !strcmp(c->to->name, "char"));

	if (letters) {
		u32 nr = (u32)strnlen((const char *)bytes, len);

		read_puts(text, json ? "\"" : "");
		if (json)
			read_escape(text, (const char *)bytes, nr);
		else
			read_put(text, (const char *)bytes, nr);
		read_puts(text, json ? "\"" : "");
		return;
	}
	read_puts(text, "[");
	for (i = 0; size && i < c->nr && (i + 1) * size <= len; i++) {
		read_puts(text, i ? "," : "");
		show_part(c->to, bytes + i * size, (u32)size, depth + 1, json, text);
	}
	read_puts(text, "]");
}

static s64 bits_of(const struct cfield *field, const u8 *bytes, u32 len)
{
	u64 word = read_word(bytes, len, 0);
	u32 left = 64 - field->bit - field->bits;

	if (field->bit + field->bits > 64)
		return 0;
	word <<= left;
	return field->type->sign ? (s64)word >> (64 - field->bits) :
				   (s64)(word >> (64 - field->bits));
}

static void show_fields(const struct ctype *c, const u8 *bytes, u32 len, int depth, bool json,
			struct read_text *text)
{
	u32 i;

	read_puts(text, "{ ");
	for (i = 0; i < c->fields_nr; i++) {
		const struct cfield *field = &c->fields[i];
		u32 at = field->offset < len ? field->offset : len;

		read_puts(text, i ? ", " : "");
		/* An anonymous one is its parts. */
		if (json || field->name[0])
			read_printf(text, json ? "\"%s\": " : ".%s = ", field->name);
		if (field->bits)
			show_number(field->type, bits_of(field, bytes + at, len - at), text);
		else
			show_part(field->type, bytes + at,
				  field->type->size < len - at ? (u32)field->type->size : len - at,
				  depth + 1, json, text);
	}
	read_puts(text, " }");
}

static void show_part(const struct ctype *c, const u8 *bytes, u32 len, int depth, bool json,
		      struct read_text *text)
{
	if (depth == RECORD_DEPTH)
		read_puts(text, json ? "null" : "...");
	else if (c->kind == CTYPE_STRUCT)
		show_fields(c, bytes, len, depth, json, text);
	else if (c->kind == CTYPE_ARRAY)
		show_array(c, bytes, len, depth, json, text);
	else if (c->kind == CTYPE_POINTER && !json)
		read_printf(text, "0x%" PRIx64, (u64)part_number(c, bytes, len));
	else if (c->size <= 8)
		show_number(c, part_number(c, bytes, len), text);
	else
		read_puts(text, json ? "null" : "...");
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
		show_named(value->type->c, read_number(value), value->type->sign, text);
		break;
	case TRACE_MAC:
		show_mac(value, text);
		break;
	case TRACE_ERRNO:
		show_errno(value, text);
		break;
	case TRACE_SYSCALL:
		show_syscall(reader, value, text);
		break;
	case TRACE_SIGNAL_NAME:
		show_signal(value, text);
		break;
	case TRACE_RECORD:
		show_part(value->type->c, value->bytes, value->len, 0, false, text);
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
	case TRACE_RECORD:
		show_part(value->type->c, value->bytes, value->len, 0, true, text);
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
