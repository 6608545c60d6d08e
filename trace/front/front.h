/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * front.h - what the front's files share: memory, errors, the script's text.
 *
 * Owns: struct front, one compilation.  Its memory is one arena, freed as a whole
 * with the script.  The first error ends it: front_fail() does not return.
 */
#ifndef KT_FRONT_H
#define KT_FRONT_H

#include "arena.h"
#include "front/script.h"

#include "vm/program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdnoreturn.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Where something is in the script: bytes. */
struct pos {
	uint32_t at, len;
};

struct insns {
	struct kt_insn *all;
	uint32_t nr, room;
};

struct front {
	uint32_t groups;		/* of places: so many there are */
	const char *text;
	size_t len;
	const struct trace_env *env;
	struct trace_error *error;
	jmp_buf out;
	struct trace_arena *arena;
	struct trace_script *script;

	struct trace_env own_env;	/* config.c: what the script changes */
	struct macro *macros;		/* preprocess.c */
	const struct parse_ways *ways;	/* parse_stmt.c has it filled */
	struct routine *routines;	/* parse_macro.c: the language's own */
	struct binding *bindings;	/* scopes.c: names that are known here */
	uint32_t scopes;		/* scopes.c: so many were there */
	uint32_t scope;			/* scopes.c: of names that nothing declares */
	uint32_t blocks;		/* parse_stmt.c: how deep */
	bool watches_arg;		/* parse_stmt.c: there is a watchpoint:FUNCTION+argN */
	uint32_t expansions;		/* parse_macro.c: how deep */
	unsigned int replaced;		/* preprocess.c: so often one of them */
	struct cname *cnames;		/* ctypes.c */
	struct clause *clauses;		/* parse.c, in order */
	struct clause **last_clause;
	/* parse.c: args.NAME, arg0, retval in this clause */
	bool saw_args, saw_numbers, saw_retval;
	struct variant *variants;	/* compile.c, in order */
	struct variant **last_variant;
	struct map *maps;		/* check.c, the newest first */
	uint32_t maps_nr;
	const struct known_option *options;	/* values.c */
	uint32_t notes_nr;		/* gen_call.c */
	bool changed;			/* check.c: a type is not what it was */
	bool final;			/* check.c: every type must be known */
	bool no_memory;			/* where nothing can be refused */

	struct insns code;		/* code.c */
	uint32_t scratch;		/* bytes */
	uint32_t depth;			/* frames of a stack; 0: none */
	char *data;			/* blob.c: constants */
	uint32_t data_len, data_room;
	uint32_t events_room, warnings_room;
	uint32_t marks[2];		/* gen_stmt.c: events of entries, returns; + 1 */
};

/* memory.c */
void *front_alloc(struct front *f, size_t len);			/* fails by front_fail() */
char *front_text(struct front *f, const char *text, size_t len);
char *front_format(struct front *f, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* An array of nr elements of size gets room for one more. */
void *front_room(struct front *f, void *array, uint32_t nr, uint32_t *room,
		 size_t size);

/* error.c */
noreturn void front_fail(struct front *f, struct pos pos, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Fill error, of which the rest is known. */
void front_say(struct front *f, struct trace_error *error, struct pos pos,
	       const char *format, va_list args);

/* warning.c: the same as front_fail(), but it goes on. */
void front_warn(struct front *f, struct pos pos, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void front_line(const char *text, size_t len, uint32_t at, uint32_t *line,
		uint32_t *column);
/* The name of nr that is meant by name, or NULL. */
const char *front_meant(const char *name, const char *const *names, size_t nr);

static inline struct pos pos_to(struct pos from, struct pos to)
{
	if (to.at + to.len > from.at + from.len)
		from.len = to.at + to.len - from.at;
	return from;
}

#endif
