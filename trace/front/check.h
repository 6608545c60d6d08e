/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * check.h - types of values, and what is allowed where.
 *
 * Owns: struct variant, a clause as it is at some of its places.  The types of
 * maps and variables follow from all uses: f->variants are checked until nothing
 * changes; the last time, with f->final, what is still unknown is an error.
 */
#ifndef KT_CHECK_H
#define KT_CHECK_H

#include "ast.h"
#include "gen.h"

#define ROUND8(n) (((n) + 7u) & ~7u)

struct place {
	struct place *next;
	struct trace_place p;
	uint32_t group;			/* of one attach point, by names; 0: of none */
	bool needed;
};

enum variant_kind { VARIANT_BLOCK, VARIANT_ENTRY, VARIANT_RETURN };

struct variant {
	struct variant *next;
	struct clause *clause;
	struct attach *attach;		/* of its first place */
	enum variant_kind kind;
	enum trace_block_kind block;
	bool kernel;
	struct place *places, **last_place;
	const struct trace_arg *args;	/* by name; NULL: not known */
	uint32_t args_nr;
	const char *args_why;
	const struct ctype *args_record;	/* builtins.c: args as a whole; or NULL */
	const struct trace_arg **args_whole;	/* what each of its fields is */
	/* Of a return, if the clause asks for it: of which type.  NULL: nobody knows. */
	const struct trace_arg *returned;
	struct var *vars;
	/*
	 * Of a return that has to be known to come from a call: what a hit at the call
	 * notes of its thread, under a number of their own.
	 */
	struct variant *notes;		/* of the return: the call's */
	struct map *noted_in;		/* of both */
	uint32_t noted_as;
	uint32_t noted;			/* of the return: the number, at S[noted] */
	uint32_t first, nr;		/* instructions */
};

struct check;
/*
 * Expressions hold expressions: what is above a file, as it is given to it.  check_stmt.c
 * has it filled.
 */
struct check_ways {
	void (*value)(struct check *c, struct expr *e);		/* check_value() */
	void (*number)(struct check *c, struct expr *e, const char *what);
	void (*call)(struct check *c, struct expr *e);		/* call_check() */
	bool (*is_output)(const struct expr *e);		/* call_is_output() */
	bool (*takes_nothing)(const char *name);		/* call_takes_nothing() */
	void (*stmts)(struct check *c, struct stmt *s);		/* check_stmts() */
};

struct check {
	struct front *f;
	struct variant *v;
	const struct check_ways *ways;
	int loops;
	bool has_break;			/* the loop that is being looked at */
	unsigned int returns;		/* up to here */
};

/* types.c */
struct type type_int(struct check *c, uint32_t size, bool sign);
struct type type_of(struct check *c, enum trace_kind kind, uint32_t size);
struct type type_string(struct check *c, size_t len);	/* with its 0 */
struct type type_of_c(struct check *c, const struct ctype *type, bool user,
		      struct pos pos);
/* A key and a value of a map, as one tuple; keys_nr of them are a tuple themselves. */
struct type type_pair(struct check *c, const struct type *keys, uint32_t keys_nr,
		      const struct type *value);
struct type type_tuple(struct check *c, struct expr *const *parts, uint32_t nr,
		       struct pos pos);
/* As it is kept in maps, keys and events: integers have 8 bytes. */
struct type type_kept(struct type t);
bool type_is_number(const struct type *t);	/* also an address */
bool type_is_wide(const struct type *t);	/* not in a register */
const char *type_name(struct front *f, const struct type *t);
/* into is to hold from, too.  false: it cannot. */
bool type_merge(struct front *f, struct type *into, const struct type *from);
const struct ctype *type_to(struct front *f, const struct type *t);
bool type_is_text(const struct type *t);	/* an array of char */

/* check.c */
void check_expr(struct check *c, struct expr *e);	/* arrays remain arrays */
void check_value(struct check *c, struct expr *e);	/* char[] is a string */
void check_number(struct check *c, struct expr *e, const char *what);
bool check_unknown(struct check *c, const struct expr *e);
void check_condition(struct check *c, struct expr *e);
/* Of a comparison of tuples, arrays, structures: as what both are compared.  False: they cannot be. */
bool check_both(struct front *f, const struct expr *e, struct type *both);

/* check_map.c */
/* What reading a key of it gives. */
struct type check_map_type(struct check *c, const struct map *m, struct pos pos);
/* Constants: their value. */
bool check_constant(struct check *c, struct expr *e, int64_t *value);
int64_t check_want_constant(struct check *c, struct expr *e, const char *what);
struct map *check_map(struct check *c, struct expr *e);	/* keys, too */
/* Is what stands in its [] one tuple, whose fields are the keys? */
bool check_is_keys(const struct expr *e);
struct map *check_map_name(struct check *c, struct expr *e);
void check_map_kind(struct check *c, struct map *m, uint32_t kind, struct pos pos);

void check_map_value(struct check *c, struct expr *e);
struct var *check_find_var(struct check *c, const struct expr *e);
void check_var(struct check *c, struct expr *e);

/* gen_call.c: which hits at an instruction that calls the kernel are meant. */
void gen_call(struct gen *g, const struct place *place, struct jumps **no);
bool call_is_own(const struct trace_place *place);
/* The first probe of the name that all places of the variant have. */
uint32_t call_probe(const struct gen *g);
void call_add_notes(struct front *f, struct variant *returns);

/* check_stmt.c */
void check_variant(struct front *f, struct variant *v);

/* builtins.c */
struct builtin;
bool builtin_check(struct check *c, struct expr *e);
/* args.NAME */
void builtin_arg(struct check *c, struct expr *e);
/* args.args[N] */
void builtin_element(struct check *c, struct expr *e);
int builtin_gen(struct gen *g, struct expr *e, int want);
void builtin_gen_returned(struct gen *g, int want);
void builtin_gen_wide(struct gen *g, struct expr *e, uint32_t at);
bool builtin_is(const char *name);
/* Names that may be meant by an unknown one. */
uint32_t builtin_names(const char **names);

/* calls.c */
struct call {
	const char *name;
	int least, most;		/* arguments */
	void (*check)(struct check *c, struct expr *e);
	int (*gen)(struct gen *g, struct expr *e, int want);
	void (*wide)(struct gen *g, struct expr *e, uint32_t at);
	uint32_t kind;			/* of AGGREGATES: enum kt_map_kind */
	bool known;			/* check has found its value: e->value */
};
/* watch.c: is it whatever watch() names?  watch() and unwatch() */
bool watch_is_any(const struct trace_place *place);
void watch_check(struct check *c, struct expr *e);
int watch_gen(struct gen *g, struct expr *e, int want);
void watch_check_end(struct check *c, struct expr *e);
int watch_gen_end(struct gen *g, struct expr *e, int want);

void call_check(struct check *c, struct expr *e);
/* Is there a function of that name that can be called without ()? */
bool call_takes_nothing(const char *name);
/* Which of them it is, or NULL: count(), sum() ... */
const struct call *call_aggregate(const struct expr *e);
/* Does it only tell the reader something? */
bool call_is_output(const struct expr *e);
void call_check_aggregate(struct check *c, struct expr *e, struct map *m);

extern const struct call calls_output[];	/* output.c; a name NULL ends it */
extern const struct call calls_value[];		/* values.c */
extern const struct call calls_string[];	/* strings.c */
/* values.c: options that were given, but that the script does not ask for. */
void call_check_options(struct front *f);
/* strings.c: a number, or what is in memory and has an address; whose memory that is. */
void check_address(struct check *c, struct expr *e);
int gen_user_flag(const struct expr *e);
/* stacks.c: kstack, kstack(perf, 5). */
void stack_check(struct check *c, struct expr *e, bool user);
int stack_gen(struct gen *g, struct expr *e, int want);
void stack_wide(struct gen *g, struct expr *e, uint32_t at);

/* formats.c: do the arguments from first on fit into the format? */
void format_check(struct check *c, struct expr *call, const struct expr *format,
		  uint32_t first);

#endif
