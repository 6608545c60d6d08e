/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ast.h - a script as a tree.
 *
 * Owns: struct clause, struct stmt, struct expr.  parse.c makes them; check.c
 * writes the types, again for each variant of a clause; code is made of what it
 * wrote last.
 */
#ifndef KT_AST_H
#define KT_AST_H

#include "lex.h"

/* Kinds of values that never leave the front: an address in a register. */
enum {
	TYPE_STRUCT = TRACE_TUPLE + 1,
	TYPE_ARRAY,
};

struct type {
	struct trace_type t;
	bool user;			/* an address of a process, not the kernel */
};

enum expr_kind {
	E_INT,				/* value */
	E_STRING,			/* name, len */
	E_NAME,				/* builtin or constant */
	E_VAR, E_MAP,			/* name; of a map: args are its keys */
	E_CALL,				/* name, args */
	E_UNARY,			/* op, a */
	E_BINARY,			/* op, a, b */
	E_TERNARY,			/* a ? b : c */
	E_CAST,				/* (cast)a */
	E_FIELD,			/* a.name, op P_ARROW: a->name */
	E_INDEX,			/* a[b] */
	E_TUPLE,			/* args */
	E_STEP,				/* op P_INC, P_DEC; post: behind it; a */
	E_SIZEOF,			/* of a or cast */
	E_OFFSETOF,			/* cast, name */
	E_BLOCK,			/* body, then a: its value; or NULL */
};

struct expr {
	enum expr_kind kind;
	int op;
	bool post;
	bool steps;			/* there is a ++ or -- below */
	uint16_t depth;			/* of the tree below */
	struct pos pos;
	const char *name;
	size_t len;
	int64_t value;
	bool is_unsigned;
	bool is_param;			/* of INT, STRING: $1, whose text is name, len */
	struct expr *a, *b, *c;
	struct expr **args;
	uint32_t args_nr;
	const struct ctype *cast;
	struct stmt *body;		/* of BLOCK */
	uint32_t scope;			/* of VAR: which of its name */

	/* check.c */
	struct type type;
	struct var *var;
	struct map *map;
	const struct cfield *field;
	const struct trace_arg *arg;
	const struct builtin *builtin;
	const struct call *call;
};

enum stmt_kind {
	S_EXPR,				/* a */
	S_ASSIGN,			/* a = b; of maps with op: a op= b */
	S_LET,				/* a is 0; type: what it is, or NULL */
	S_IF,				/* a, body, other */
	S_WHILE,			/* a, body */
	S_UNROLL,			/* a, body */
	S_FOR,				/* a = b .. c, body */
	S_EACH,				/* a = (key, value) of map b, body */
	S_BREAK, S_CONTINUE,
	S_RETURN,			/* a: what for, or NULL */
};

struct stmt {
	struct stmt *next;
	enum stmt_kind kind;
	struct pos pos;
	int op;
	struct expr *a, *b, *c;
	struct stmt *body, *other;
	struct var *var;		/* of FOR, where it ends: check.c */
	const struct ctype *type;	/* of LET */
	int64_t live;			/* of IF, whose condition is known: body or other */
	bool known;
};

struct attach {
	struct attach *next;
	struct trace_attach a;
	struct pos pos;
	const char *text;		/* as written, with the provider in full */
	bool needed;			/* the only one, and no wildcard in it */
	/* Of watchpoint:FUNCTION+arg1:8: whose argument, which, how many bytes; or NULL. */
	const char *arg_of, *arg_name;
	uint32_t arg_bytes;
};

struct clause {
	struct clause *next;
	struct attach *attach;
	struct expr *predicate;
	struct stmt *body;
	bool uses_args;			/* args.NAME: each place by itself */
	bool uses_retval;
};

/* A variable of a clause. */
struct var {
	struct var *next;
	const char *name;
	uint32_t scope;			/* which of that name: scopes.c */
	struct type type;		/* kind TRACE_NONE: not known yet */
	bool is_set;			/* assigned above */
	int reg;			/* -1: at S[offset] */
	uint32_t offset;
};

struct map {
	struct map *next;
	const char *name;
	uint32_t number;
	bool has_kind, has_keys;	/* known by now */
	uint32_t kind;			/* enum kt_map_kind */
	struct type value;
	struct type *keys;
	uint32_t keys_nr, key_len;
	int64_t min, max, step;
	bool has_shape;			/* these are known */
	bool hidden;
	bool assigned;			/* by =, and other than ++, += ... */
	struct pos pos;			/* where it is first seen */
};

/* parse_stmt.c: all of the script, to f->clauses. */
void parse_script(struct front *f);
/* parse.c */
struct expr *parse_expr(struct lex *lex, int depth);
/* tokens.c */
bool parse_is(struct lex *lex, int punct);
bool parse_take(struct lex *lex, int punct);
void parse_want(struct lex *lex, int punct, const char *what);

/* attach.c: the places of a clause; the source is behind them then. */
struct attach *attach_parse(struct lex *lex);
/* One of them from its text. */
struct attach *attach_from(struct front *f, const char *text, struct pos pos);
/* arg0 is what trace_env.args() says, not a function's first argument. */
static inline bool attach_has_own_args(const struct attach *at)
{
	return !strcmp(at->a.provider, "usdt") ||
	       !strcmp(at->a.provider, "syscall") || at->a.watch;
}

/* watch.c: watchpoint:PLACE[:BYTES][:MODE], and what it is given. */
/* Can it be no mode, nor a number of bytes? */
bool watch_is_name(const char *word);
void watch_read(struct front *f, struct attach *at, char *const *words, int nr);
const struct trace_arg *watch_args(uint32_t *nr);
bool watch_replaces(int reg);		/* as in KT_WATCH_REGS */

/* ctypes.c */
const struct ctype *ctype_whole(struct front *f, const struct ctype *c);
/* *type: the enumeration that it belongs to, or NULL. */
bool ctype_constant(struct front *f, const char *name, int64_t *value,
		    const struct ctype **type);
/* A field, also within anonymous ones; *offset is added to.  NULL: none. */
const struct cfield *ctype_field(struct front *f, const struct ctype *c,
				 const char *name, uint64_t *offset);
const struct ctype *ctype_int(struct front *f, const char *name, uint32_t size,
			      bool sign);
const struct ctype *ctype_pointer(struct front *f, const struct ctype *to);
const struct ctype *ctype_named(struct front *f, const char *name);
/* ctypes_parse.c */
bool ctype_starts(struct lex *lex);
/* string, string[64]: has it been taken? */
bool parse_string_type(struct lex *lex);
/* A type as in a cast: names, then stars. */
const struct ctype *ctype_parse(struct lex *lex);
/* "[4][2]" behind a type; without them it is that type. */
const struct ctype *ctype_arrays(struct lex *lex, const struct ctype *c);
/* struct, union, enum, typedef, between clauses. */
bool ctype_define(struct lex *lex);

/* config.c: config = { ... }, whose } is the token to be looked at then. */
void config_parse(struct lex *lex);
/* let @x = KIND(...): does it exist? */
void config_map(struct front *f, const char *kind, struct pos pos);

/* constants.c: a macro of the system's headers. */
bool constant_known(const char *name, int64_t *value);

#endif
