// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * pprof.c - folded stacks as a profile (profile.proto), which pprof and what knows its files read.
 *
 * Owns: which messages there are: a text once in the table of strings, for each name one function
 * and one location, and a sample for each stack, from the innermost frame out.  Such files are
 * gzip's: the blocks are stored, since who reads them does not mind and nothing needs a library.
 */
#include "read.h"

#include <stdlib.h>
#include <string.h>

/* Numbers of fields, as the format's own names have them. */
enum { SAMPLE_TYPE = 1, SAMPLE, MAPPING, LOCATION, FUNCTION, STRING_TABLE };
enum { VALUE_TYPE = 1, VALUE_UNIT };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE };
enum { LOCATION_ID = 1, LOCATION_LINE = 4, LINE_FUNCTION = 1 };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILE };
/* The first texts: the empty one, what is counted, and where the kernel's functions are. */
enum { TEXT_NONE, TEXT_COUNT, TEXT_KERNEL, TEXTS };

struct name {
	const char *text;		/* NULL: free */
	size_t len;
	u32 id;
};

struct profile {
	struct read_text bytes, one, inner;	/* all; a message; one within it */
	struct name *names;		/* by hash; room is a power of two */
	u32 nr, room;
	bool full;			/* no memory: the rest is left out */
};

static struct name *slot_of(struct name *names, u32 room, const char *text, size_t len)
{
	u32 at = 0;
	size_t i;

	for (i = 0; i < len; i++)
		at = at * 31 + (unsigned char)text[i];
	at = (at ^ at >> 15) & (room - 1);
	while (names[at].text && (names[at].len != len || memcmp(names[at].text, text, len)))
		at = (at + 1) & (room - 1);
	return &names[at];
}

static bool grow(struct profile *p)
{
	u32 room = p->room ? 2 * p->room : 1024, i;
	struct name *names = calloc(room, sizeof(*names));

	for (i = 0; names && i < p->room; i++)
		if (p->names[i].text)
			*slot_of(names, room, p->names[i].text, p->names[i].len) = p->names[i];
	if (!names) {
		p->full = true;
		return false;
	}
	free(p->names);
	p->names = names;
	p->room = room;
	return true;
}

static void put_function(struct profile *p, const char *text, size_t len, u32 id)
{
	const bool kernel = len && *text == READ_KERNEL;

	read_proto_string(&p->bytes, STRING_TABLE, text + kernel, len - kernel);
	read_proto_number(&p->one, FUNCTION_ID, id);
	read_proto_number(&p->one, FUNCTION_NAME, TEXTS - 1 + id);
	read_proto_number(&p->one, FUNCTION_SYSTEM_NAME, TEXTS - 1 + id);
	if (kernel)
		read_proto_number(&p->one, FUNCTION_FILE, TEXT_KERNEL);
	read_proto_message(&p->bytes, FUNCTION, &p->one);
	read_proto_number(&p->one, LOCATION_ID, id);
	read_proto_number(&p->inner, LINE_FUNCTION, id);
	read_proto_message(&p->one, LOCATION_LINE, &p->inner);
	read_proto_message(&p->bytes, LOCATION, &p->one);
}

/* The location of a name; 0: there is no memory for it. */
static u32 location_of(struct profile *p, const char *text, size_t len)
{
	struct name *name;

	if (p->nr * 2 >= p->room && !grow(p))
		return 0;
	name = slot_of(p->names, p->room, text, len);
	if (!name->text) {
		*name = (struct name){ text, len, ++p->nr };
		put_function(p, text, len, name->id);
	}
	return name->id;
}

/* Frames end with READ_BETWEEN: the innermost is the last. */
static void put_sample(struct profile *p, const char *text, size_t len, u64 count)
{
	struct read_text sample = { 0 };

	while (len) {
		size_t end = len - 1;
		const char *before = memrchr(text, READ_BETWEEN, end);
		size_t from = before ? (size_t)(before + 1 - text) : 0;
		u32 id = location_of(p, text + from, end - from);

		if (id)
			read_proto_number(&sample, SAMPLE_LOCATION, id);
		len = from;
	}
	read_proto_number(&sample, SAMPLE_VALUE, count);
	read_proto_message(&p->bytes, SAMPLE, &sample);
	read_text_free(&sample);
}

/* ---- gzip --------------------------------------------------------------------- */

#define BLOCK 65535u

static u32 sum_of(const char *bytes, size_t len)
{
	u32 sum = ~0u, bit;
	size_t i;

	for (i = 0; i < len; i++) {
		sum ^= (unsigned char)bytes[i];
		for (bit = 0; bit < 8; bit++)
			sum = sum >> 1 ^ (0xedb88320u & -(sum & 1));
	}
	return ~sum;
}

static void put_little(FILE *out, u32 value, unsigned int len)
{
	for (; len--; value >>= 8)
		putc((int)(value & 0xff), out);
}

static void put_gzip(FILE *out, const char *bytes, size_t len)
{
	static const char head[] = "\x1f\x8b\x08\0\0\0\0\0\0\xff";
	size_t at = 0, part;

	fwrite(head, 1, sizeof(head) - 1, out);
	do {
		part = len - at < BLOCK ? len - at : BLOCK;
		putc(at + part == len, out);	/* stored; the last one? */
		put_little(out, (u32)part, 2);
		put_little(out, ~(u32)part, 2);
		fwrite(bytes + at, 1, part, out);
		at += part;
	} while (at < len);
	put_little(out, sum_of(bytes, len), 4);
	put_little(out, (u32)len, 4);
}

void trace_reader_pprof(struct trace_reader *reader, FILE *out)
{
	struct read_folded folded;
	struct profile p = { 0 };
	u32 i;

	read_fold(reader, &folded);
	read_proto_string(&p.bytes, STRING_TABLE, "", 0);
	read_proto_string(&p.bytes, STRING_TABLE, "count", 5);
	read_proto_string(&p.bytes, STRING_TABLE, "[kernel]", 8);
	read_proto_number(&p.one, VALUE_TYPE, TEXT_COUNT);
	read_proto_number(&p.one, VALUE_UNIT, TEXT_COUNT);
	read_proto_message(&p.bytes, SAMPLE_TYPE, &p.one);
	for (i = 0; i < folded.nr; i++)
		put_sample(&p, folded.text.bytes + folded.lines[i].at, folded.lines[i].len,
			   folded.lines[i].count);
	put_gzip(out, p.bytes.bytes, p.bytes.len);
	read_text_free(&p.bytes);
	read_text_free(&p.one);
	read_text_free(&p.inner);
	free(p.names);
	read_folded_free(&folded);
	fflush(out);
}
