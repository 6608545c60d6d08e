/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * gen_stmt.c - instructions of statements, and of a clause as a whole.
 *
 * Owns: code generation for statements and clauses.
 *
 * Where a clause's variables are is decided first; they are 0 at the begin, as all
 * registers and scratch memory.
 */
#include "check.h"

#include <string.h>

static void gen_stmts(struct gen *g, struct stmt *s);

static void gen_assign_var(struct gen *g, struct stmt *s)
{
	struct var *var = s->a->var;
	bool direct = var->reg >= 0 && !s->b->steps && s->b->kind != E_STEP;

	if (type_is_wide(&var->type)) {
		uint32_t at = var->offset, len = ROUND8(var->type.t.size);

		/* What is read for it may be the variable itself. */
		if (s->b->kind == E_TUPLE || s->b->kind == E_TERNARY || s->b->kind == E_BLOCK)
			at = code_room(g, len);
		gen_wide(g, s->b, at, &var->type.t);
		code_put_copy(g, var->offset, at, len);
		return;
	}
	gen_set_var(g, var, gen_value(g, s->b, direct ? var->reg : -1));
}

/* "+=" and "-=" of a map, at once with what others add. */
static void gen_add_map(struct gen *g, struct stmt *s)
{
	struct map *m = s->a->map;
	int reg = code_temp(g), zero;
	uint32_t key;

	if (m->value.t.kind == TRACE_POINTER && s->b->type.t.kind != TRACE_POINTER)
		gen_steps(g, s->b, &m->value, reg);
	else
		gen_value(g, s->b, reg);
	if (s->op == '-') {
		zero = code_temp(g);
		code_put(g, KT_MOVI, zero, 0, 0, 0);
		code_put(g, KT_SUB, reg, zero, reg, 0);
	}
	key = gen_key(g, s->a);
	code_put(g, KT_MADD, reg, (int)m->number, 0, code_halves(key, 0));
}

static void gen_aggregate(struct gen *g, struct stmt *s)
{
	struct map *m = s->a->map;
	uint32_t key = gen_key(g, s->a);
	int value = s->b->args_nr ? gen_value(g, s->b->args[0], -1) : 0;

	code_put(g, KT_MAGG, value, (int)m->number, 0, code_halves(key, 0));
}

static void gen_assign_map(struct gen *g, struct stmt *s)
{
	struct map *m = s->a->map;
	uint32_t key, at;
	int old, value;

	if (call_aggregate(s->b)) {
		gen_aggregate(g, s);
		return;
	}
	if (s->op == '+' || s->op == '-') {
		gen_add_map(g, s);
		return;
	}
	key = gen_key(g, s->a);
	if (type_is_wide(&m->value)) {
		at = code_room(g, m->value.t.size);
		gen_into(g, s->b, at, &m->value.t);
		code_put(g, KT_MSETV, 0, (int)m->number, 0, code_halves(key, at));
		return;
	}
	if (s->op) {
		old = code_temp(g);
		code_put(g, KT_MGET, old, (int)m->number, 0, code_halves(key, 0));
		value = gen_value(g, s->b, -1);
		gen_operator(g, s->op, !m->value.t.sign, old, value, old);
		value = old;
	} else {
		value = gen_value(g, s->b, -1);
	}
	code_put(g, KT_MSET, value, (int)m->number, 0, code_halves(key, 0));
}

static void gen_if(struct gen *g, struct stmt *s)
{
	struct jumps *no = NULL, *end = NULL;

	if (s->known) {
		gen_stmts(g, s->live ? s->body : s->other);
		return;
	}
	gen_condition(g, s->a, false, &no);
	gen_stmts(g, s->body);
	if (s->other)
		code_jump(g, &end, KT_JMP, 0);
	code_jumps_here(g, no);
	gen_stmts(g, s->other);
	code_jumps_here(g, end);
}

static void gen_while(struct gen *g, struct stmt *s)
{
	struct loop loop = { .outer = g->loop };
	struct jumps *no = NULL;
	uint32_t begin = g->f->code.nr;

	g->loop = &loop;
	gen_condition(g, s->a, false, &no);
	gen_stmts(g, s->body);
	code_jumps_here(g, loop.continues);
	code_jump_back(g, KT_JMP, 0, begin);
	code_jumps_here(g, no);
	code_jumps_here(g, loop.breaks);
	g->loop = loop.outer;
}

static void gen_unroll(struct gen *g, struct stmt *s)
{
	struct loop loop = { .outer = g->loop };
	int i;

	g->loop = &loop;
	for (i = 0; i < s->op; i++) {
		loop.continues = NULL;
		gen_stmts(g, s->body);
		code_jumps_here(g, loop.continues);
	}
	code_jumps_here(g, loop.breaks);
	g->loop = loop.outer;
}

/* The variable, and where it ends, which is computed once. */
static void gen_for(struct gen *g, struct stmt *s)
{
	struct loop loop = { .outer = g->loop };
	struct var *var = s->a->var;
	uint32_t begin, end = code_room(g, 8);
	int temps = g->temps, a, b;

	code_put_store(g, gen_value(g, s->c, -1), end, 8);
	g->temps = temps;
	gen_set_var(g, var, gen_value(g, s->b, -1));
	g->temps = temps;
	g->loop = &loop;
	begin = g->f->code.nr;
	a = gen_get_var(g, var, -1);
	b = code_temp(g);
	code_put(g, KT_LDS, b, 0, KT_SIZE_8, (int32_t)end);
	code_put(g, KT_SLT, b, a, b, 0);
	code_jump(g, &loop.breaks, KT_JZ, b);
	g->temps = temps;
	gen_stmts(g, s->body);
	code_jumps_here(g, loop.continues);
	a = gen_get_var(g, var, -1);
	b = var->reg >= 0 ? var->reg : a;
	code_put(g, KT_ADDI, b, a, 0, 1);
	gen_set_var(g, var, b);
	code_jump_back(g, KT_JMP, 0, begin);
	code_jumps_here(g, loop.breaks);
	g->temps = temps;
	g->loop = loop.outer;
}

/* S[var] = the next key and its value; the place behind it waits in scratch memory. */
static void gen_each(struct gen *g, struct stmt *s)
{
	struct loop loop = { .outer = g->loop };
	const struct map *m = s->b->map;
	uint32_t key = s->a->var->offset, place = code_room(g, 8), begin;
	uint32_t value = key + s->a->var->type.t.fields[1].offset;
	int temps = g->temps, reg = code_temp(g);

	code_put(g, KT_MOVI, reg, 0, 0, 0);
	code_put_store(g, reg, place, 8);
	g->loop = &loop;
	begin = g->f->code.nr;
	code_put(g, KT_LDS, reg, 0, KT_SIZE_8, (int32_t)place);
	code_put(g, KT_MNEXT, reg, (int)m->number, 0, code_halves(key, 0));
	code_put_store(g, reg, place, 8);
	code_jump(g, &loop.breaks, KT_JZ, reg);
	if (m->kind == KT_MAP_VALUE) {
		code_put(g, KT_MGETV, 0, (int)m->number, 0, code_halves(key, value));
	} else {
		code_put(g, KT_MGET, reg, (int)m->number, 0, code_halves(key, 0));
		code_put_store(g, reg, value, 8);
	}
	g->temps = temps;
	gen_stmts(g, s->body);
	code_jumps_here(g, loop.continues);
	code_jump_back(g, KT_JMP, 0, begin);
	code_jumps_here(g, loop.breaks);
	g->loop = loop.outer;
}

static void gen_let(struct gen *g, struct var *var)
{
	int zero;

	if (type_is_wide(&var->type)) {
		code_put_zero(g, var->offset, ROUND8(var->type.t.size));
		return;
	}
	zero = code_temp(g);
	code_put(g, KT_MOVI, zero, 0, 0, 0);
	gen_set_var(g, var, zero);
}

static void gen_stmt(struct gen *g, struct stmt *s)
{
	switch (s->kind) {
	case S_EXPR:
		if (s->a->type.t.kind == TRACE_NONE || !type_is_wide(&s->a->type))
			gen_value(g, s->a, -1);
		else
			gen_wide_place(g, s->a);
		break;
	case S_ASSIGN:
		if (s->a->kind == E_VAR)
			gen_assign_var(g, s);
		else
			gen_assign_map(g, s);
		break;
	case S_LET: gen_let(g, s->a->var); break;
	case S_IF: gen_if(g, s); break;
	case S_WHILE: gen_while(g, s); break;
	case S_UNROLL: gen_unroll(g, s); break;
	case S_FOR: gen_for(g, s); break;
	case S_EACH: gen_each(g, s); break;
	case S_BREAK: code_jump(g, &g->loop->breaks, KT_JMP, 0); break;
	case S_CONTINUE: code_jump(g, &g->loop->continues, KT_JMP, 0); break;
	case S_RETURN: code_put(g, KT_END, 0, 0, 0, 0); break;
	}
}

static void gen_stmts(struct gen *g, struct stmt *s)
{
	int temps = g->temps;
	uint32_t scratch = g->scratch;

	for (; s; s = s->next) {
		g->pos = s->pos;
		gen_stmt(g, s);
		g->temps = temps;
		g->scratch = scratch;
	}
}

static void place_vars(struct gen *g)
{
	struct var *var;

	for (var = g->v->vars; var; var = var->next) {
		var->reg = -1;
		if (!type_is_wide(&var->type) && g->vars < GEN_VARS)
			var->reg = g->vars++;
		else
			var->offset = code_room(g, type_is_wide(&var->type) ?
						var->type.t.size : 8);
	}
	g->temps = g->vars;
}

/* Variants whose code is the same otherwise have the same event, too. */
static uint32_t mark_of(struct gen *g, bool returns)
{
	static const struct trace_field fields[] = {
		{ { .kind = TRACE_STRING, .size = 16 }, 0 },
		{ { .kind = TRACE_INT, .size = 8, .sign = true }, 16 },
	};
	struct trace_event event = { .kind = TRACE_MARK, .fields_nr = 2 };

	if (!g->f->marks[returns]) {
		event.fields = front_alloc(g->f, sizeof(fields));
		memcpy(event.fields, fields, sizeof(fields));
		g->f->marks[returns] = code_put_event(g, &event) + 1;
	}
	return g->f->marks[returns] - 1;
}

/* The hit itself, where the reader draws it. */
static void gen_mark(struct gen *g)
{
	bool returns = g->v->kind == VARIANT_RETURN;
	uint32_t scratch = g->scratch, at = code_room(g, 24), event = mark_of(g, returns);
	int temps = g->temps, reg = code_temp(g);

	code_put(g, KT_COMM, 0, 0, 0, (int32_t)at);
	if (returns)
		builtin_gen_returned(g, reg);
	else
		code_put(g, KT_GET, reg, 0, 0, KT_GET_SP);
	code_put_store(g, reg, at + 16, 8);
	code_put(g, KT_EMIT, (int)(event & 255), (int)(event >> 8), 0, code_halves(at, 24));
	g->temps = temps;
	g->scratch = scratch;
}

void gen_variant(struct front *f, struct variant *v)
{
	static const struct gen_ways ways = {
		.value = gen_value, .condition = gen_condition,
		.key = gen_key, .wide_place = gen_wide_place, .into = gen_into,
		.stmts = gen_stmts,
	};
	struct gen g = { .f = f, .v = v, .ways = &ways, .pos = v->attach->pos };
	struct jumps *no = NULL;

	v->first = f->code.nr;
	place_vars(&g);
	if (v->places && call_is_own(&v->places->p))
		gen_call(&g, v->places, &no);
	if (v->clause && v->clause->predicate)
		gen_condition(&g, v->clause->predicate, false, &no);
	if (v->clause && f->env->marks && v->kind != VARIANT_BLOCK)
		gen_mark(&g);
	if (v->clause)
		gen_stmts(&g, v->clause->body);
	code_jumps_here(&g, no);
	code_put(&g, KT_END, 0, 0, 0, 0);
	v->nr = f->code.nr - v->first;
}
