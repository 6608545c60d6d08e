/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * own.h - struct names, for the files that fill it.
 *
 * Owns: how a source of types tells of them.  Types are named by keys, numbers that
 * mean something to their source only; 0 is void.  types.c makes C types of them,
 * one for each key, and bounds depth and circles.
 */
#ifndef KT_NAMES_OWN_H
#define KT_NAMES_OWN_H

#include "names.h"
#include "../front/arena.h"
#include "kt_regs.h"
#include <elfutils/libdwfl.h>

enum raw_kind {
	RAW_VOID, RAW_INT, RAW_FLOAT, RAW_POINTER, RAW_ARRAY, RAW_STRUCT,
	RAW_ENUM, RAW_FUNCTION,
	RAW_ALIAS,			/* another name, or const and its like */
};

/* It cannot be had here: why. */
static inline void names_refuse(struct trace_arg *arg, const char *why)
{
	arg->kind = TRACE_ARG_NOWHERE;
	arg->why = why;
}

#define RAW_DIMENSIONS 8

struct raw_type {
	enum raw_kind kind;
	const char *tag;		/* "struct", "union", "enum"; or "" */
	const char *name;		/* "": it has none */
	uint64_t size;
	bool sign;
	bool declared;			/* its members are elsewhere */
	bool homonym;			/* another one has its name */
	bool vector, complex, aligned;	/* as in struct ctype */
	uint64_t to;			/* POINTER, ARRAY, ALIAS, FUNCTION: a key */
	uint64_t nr[RAW_DIMENSIONS];	/* ARRAY: from the outermost on */
	uint32_t dimensions;
	uint32_t members;		/* STRUCT, ENUM: at most so many */
};

struct raw_member {
	const char *name;
	uint64_t type;			/* key */
	uint64_t bit;			/* from the structure's beginning */
	uint32_t bits;			/* of a bit-field */
	int64_t value;			/* of an enumerator */
};

struct source {
	void (*read)(struct names *names, uint64_t key, struct raw_type *raw);
	/* Member i; false: it is none to be shown, or there are no more. */
	bool (*member)(struct names *names, uint64_t key, uint32_t i,
		       struct raw_member *member);
	/* tag "": of any kind, and other names first.  0: it is not known. */
	uint64_t (*find)(struct names *names, const char *tag, const char *name);
	/* *key: of the enumeration. */
	bool (*constant)(struct names *names, const char *name, int64_t *value, uint64_t *key);
	const struct trace_arg *(*args)(struct names *names,
					const struct names_place *place,
					uint32_t *nr, const char **why);
	/* As names_lines, names_users, names_frames, names_usdts; NULL: it has none. */
	int (*lines)(struct names *names, const char *file, int line,
		     void (*take)(void *arg, const struct names_line *line),
		     void *arg, const char **why);
	int (*users)(struct names *names, const char *type,
		     void (*take)(void *arg, const struct names_line *line),
		     void *arg, const char **why);
	int (*frames)(struct names *names, uint64_t addr,
		      void (*take)(void *arg, const struct names_frame *frame),
		      void *arg);
	int (*usdts)(struct names *names,
		     void (*take)(void *arg, const struct names_usdt *usdt),
		     void *arg);
	void (*free)(struct names *names);
};

struct own_type;

struct names {
	const struct source *source;
	void *own;			/* the source's */
	struct trace_arena *memory;	/* all that is given away */
	struct own_type **types;	/* by key; types_room: a power of two */
	size_t types_nr, types_room;
	unsigned int depth;		/* of the type that is made now */
	bool kernel;			/* whose they are */
	char why[300];
};

/* NULL: no memory. */
struct names *names_new(const struct source *source, void *own);
/* Zeroed, until names_free(); NULL: no memory. */
void *names_alloc(struct names *names, size_t len);
const char *names_text(struct names *names, const char *text);
const char *names_fail(struct names *names, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Never NULL: what cannot be made is void.  A structure is complete. */
const struct ctype *names_type_of(struct names *names, uint64_t key);
const struct ctype *names_pointer(struct names *names, const struct ctype *to);
/* "retval", of that type; NULL: no memory. */
const struct trace_arg *names_returned(struct names *names,
				       const struct ctype *type, uint32_t *nr);
/* prototypes.c: a number that a function returns.  NULL: unknown, or file is no C library. */
const struct ctype *names_prototype(const char *file, const char *function);
/* Of a text, for tables. */
uint32_t names_hash(uint32_t seed, const char *text);
/* "unsigned long": C's own; NULL: it is none. */
const struct ctype *names_builtin(const char *name, size_t len);

/* ---- the processor -------------------------------------------------------------------- */

/* abi.c: a register (kt_regs.h) by DWARF's number; -1: it is none of them. */
int names_reg_of_dwarf(unsigned int number);

/* abi.c: where a C function finds its parameters as it begins. */
struct abi {
	unsigned int regs;		/* of those for integers */
	uint64_t stack;			/* bytes that are taken there */
	unsigned int fractions;		/* of those for fractions */
	bool lost;			/* where the next one is, is not known */
	bool stack_lost;		/* the same of those on the stack */
	bool aligned;			/* the next one has an alignment of the source's own */
	bool kernel;			/* whose function it is */
};
/* The register of integer parameter number, less than KT_ARG_REGS_NR. */
enum names_reg names_abi_reg(unsigned int number);
/* What it returns: a place for a large structure is a parameter of its own. */
void names_abi_returns(struct abi *abi, const struct ctype *type,
		       bool by_reference);
/* The next one: arg's type is known; what else it is is filled in. */
void names_abi_next(struct abi *abi, struct trace_arg *arg);

/*
 * usdt_operand.c: an operand of a marker's note, as the assembler writes it.  False:
 * that is not understood.
 */
bool usdt_operand(Dwfl_Module *module, const char *text, struct trace_arg *arg);

#endif
