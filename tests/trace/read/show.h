/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * show.h - scripts that tests write by hand, and what the reader prints of them.
 *
 * Owns: struct show: a program (build.h), what its numbers mean, and the output.
 */
#ifndef KT_TESTS_SHOW_H
#define KT_TESTS_SHOW_H

#include "build.h"
#include "read/reader.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define FIELDS_MAX 8
/* An address with two functions inlined. */
#define INLINED 0x7777

struct show {
	struct build build;
	struct trace_script script;
	struct trace_probe probes[4];
	struct trace_event events[20];
	struct trace_field fields[20][FIELDS_MAX];
	struct trace_map maps[16];
	struct trace_field keys[16][FIELDS_MAX];
	struct trace_block blocks[4];
	struct trace_reader *reader;
	uint32_t pids[8];		/* of the arenas; 0: the kernel's */
	enum trace_format format;
	char *text;			/* what was printed */
	size_t len;
	FILE *out;
};

extern const struct trace_type show_int, show_u64, show_probe;	/* of 8 bytes */
extern const struct trace_type show_string;			/* of 16 */

/* Types for fields, one behind the other, 8 bytes or more; the last one is NULL. */
struct trace_field *show_fields(struct trace_field *fields, uint32_t *nr,
				const struct trace_type *const *types);
void show_begin(struct show *show);
uint32_t show_event(struct show *show, enum trace_event_kind kind,
		    const char *format, const struct trace_type *const *types);
uint32_t show_map(struct show *show, const char *name, uint32_t kind,
		  const struct trace_type *const *keys,
		  const struct trace_type *value);
#define TYPES(...) ((const struct trace_type *const []){ __VA_ARGS__, NULL })
/* The arena and the reader. */
void show_ready(struct show *show, enum trace_format format);
/* Another reader, of other arenas. */
void show_read(struct show *show, const struct kt_vm *vms, unsigned int nr);
/* An event with so many bytes. */
void show_emit(struct show *show, uint32_t event, const void *bytes, uint32_t len);
void show_add(struct show *show, uint32_t map, const void *key, int64_t value);
void show_set(struct show *show, uint32_t map, const void *key, const void *value);
/* What was printed since the last time is this. */
void show_is(struct show *show, const char *text);
void show_end(struct show *show);

#endif
