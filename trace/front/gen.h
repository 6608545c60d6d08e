/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * gen.h - from a checked tree to instructions.
 *
 * Owns: struct gen.  The first registers are a clause's variables; those behind them
 * hold values that are in the making, as a stack.  Further variables, strings and
 * keys are in scratch memory.  A statement gives back what it took.
 */
#ifndef KT_GEN_H
#define KT_GEN_H

#include "ast.h"

#define GEN_VARS 16			/* at most so many variables in registers */

struct jumps {
	struct jumps *next;
	uint32_t insn;
};

struct loop {
	struct loop *outer;
	struct jumps *breaks, *continues;
};

struct gen;
/* What is above a file of these, as it is given to it; gen_stmt.c has it filled. */
struct gen_ways {
	int (*value)(struct gen *g, struct expr *e, int want);	/* gen_value() */
	void (*condition)(struct gen *g, struct expr *e, bool when, struct jumps **list);
	uint32_t (*key)(struct gen *g, struct expr *map);	/* gen_key() */
	uint32_t (*wide_place)(struct gen *g, struct expr *e);	/* gen_wide_place() */
	/* gen_into() */
	void (*into)(struct gen *g, struct expr *e, uint32_t at, const struct trace_type *as);
	void (*stmts)(struct gen *g, struct stmt *s);		/* gen_stmts() */
};

struct gen {
	struct front *f;
	struct variant *v;
	const struct gen_ways *ways;
	int vars;			/* registers below it are variables */
	int temps;			/* registers below it are in use */
	uint32_t scratch;		/* bytes below it are in use */
	struct loop *loop;
	struct pos pos;			/* of the statement */
};

/* code.c */
uint32_t code_put(struct gen *g, int op, int a, int b, int c, int32_t imm);
int32_t code_halves(uint32_t lo, uint32_t hi);
void code_jump(struct gen *g, struct jumps **list, int op, int a);
void code_jumps_here(struct gen *g, struct jumps *list);
void code_jump_back(struct gen *g, int op, int a, uint32_t to);
int code_temp(struct gen *g);
int code_dest(struct gen *g, int want);	/* want, or a new one if it is -1 */
uint32_t code_room(struct gen *g, uint32_t len);
void code_put_number(struct gen *g, int reg, int64_t value);
void code_put_bytes(struct gen *g, uint32_t at, uint32_t size, const void *bytes,
		    size_t len);
uint32_t code_put_event(struct gen *g, const struct trace_event *event);
int code_size(uint32_t size);
void code_put_store(struct gen *g, int reg, uint32_t at, uint32_t size);
void code_put_copy(struct gen *g, uint32_t to, uint32_t from, uint32_t len);
void code_put_zero(struct gen *g, uint32_t at, uint32_t len);
/* A number that is known now. */
bool code_constant(struct expr *e, int64_t *value);
/* The value that check.c has computed: e->value. */
int code_known(struct gen *g, struct expr *e, int want);

/* gen.c */
static inline bool gen_fits(int64_t value)	/* into an instruction */
{
	return value == (int32_t)value;
}
int gen_value(struct gen *g, struct expr *e, int want);
/* Jumps if e is not 0, or with when false if it is. */
void gen_condition(struct gen *g, struct expr *e, bool when, struct jumps **list);
/* A number, times the size of what a pointer of that type points to. */
void gen_steps(struct gen *g, struct expr *number, const struct type *pointer, int reg);
uint32_t gen_key(struct gen *g, struct expr *map);
/* A variable's value: from a register, or from where it is. */
void gen_set_var(struct gen *g, struct var *var, int reg);
int gen_get_var(struct gen *g, struct var *var, int want);
/* a op b, of 8 bytes. */
int gen_operator(struct gen *g, int op, bool is_unsigned, int a, int b, int want);

/* gen_memory.c */
/* The address of a structure, an array or a text; the value of anything else. */
int gen_address(struct gen *g, struct expr *e, int want);
/* The address of a value in memory, whatever its type. */
int gen_address_of(struct gen *g, struct expr *e, int want);
int gen_load(struct gen *g, struct expr *e, int want);
/* A field of a structure or a tuple, or an argument by its name. */
int gen_field(struct gen *g, struct expr *e, int want);
/* A system call's number: 4 bytes, wherever they are. */
int gen_number(struct gen *g, const struct trace_arg *arg);

/* gen_wide.c */
/* At S[at], as long as as says. */
void gen_wide(struct gen *g, struct expr *e, uint32_t at,
	      const struct trace_type *as);
/* Where it is in scratch memory; put there if it is not yet. */
uint32_t gen_wide_place(struct gen *g, struct expr *e);
/* Either, into scratch memory; in 8 bytes what fits into a register. */
void gen_into(struct gen *g, struct expr *e, uint32_t at,
	      const struct trace_type *as);

/* gen_stmt.c */
void gen_variant(struct front *f, struct variant *v);

/* compile.c's end: blob.c */
void blob_write(struct front *f);

#endif
