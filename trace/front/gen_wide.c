/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * gen_wide.c - code generation for values that do not fit into a register.
 *
 * Owns: code generation for strings, structures and tuples.  They are in scratch memory, padded
 * with zeros, so equal values are equal bytes.
 */
#include "check.h"

static bool same_layout(const struct trace_type *a, const struct trace_type *b)
{
	uint32_t i;

	if (a->kind != TRACE_TUPLE)
		return true;
	if (a->size != b->size)
		return false;
	for (i = 0; i < a->fields_nr; i++)
		if (a->fields[i].offset != b->fields[i].offset ||
		    !same_layout(&a->fields[i].type, &b->fields[i].type))
			return false;
	return true;
}

/* From one place of scratch memory to another, where it may be longer. */
static void copy_as(struct gen *g, uint32_t from, const struct trace_type *is,
		    uint32_t to, const struct trace_type *as)
{
	uint32_t i, is_len = ROUND8(is->size), as_len = ROUND8(as->size);

	if (same_layout(is, as)) {
		code_put_copy(g, to, from, is_len);
		code_put_zero(g, to + is_len, as_len - is_len);
		return;
	}
	for (i = 0; i < as->fields_nr; i++)
		copy_as(g, from + is->fields[i].offset, &is->fields[i].type,
			to + as->fields[i].offset, &as->fields[i].type);
}

static bool text_user(struct gen *g, const struct expr *e)
{
	return e->arg ? !g->v->kernel : e->type.user;
}

/* An array of characters. */
static void gen_text(struct gen *g, struct expr *e, uint32_t at)
{
	int temps = g->temps, address = gen_address(g, e, -1), most = code_temp(g);
	uint64_t nr = e->type.t.c->nr;

	code_put_number(g, most, nr && nr < e->type.t.size ? (int64_t)nr : e->type.t.size);
	code_put(g, KT_STR, address, most, text_user(g, e) ? KT_USER : 0,
		 code_halves(at, e->type.t.size));
	g->temps = temps;
}

static void gen_map_wide(struct gen *g, struct expr *e, uint32_t at)
{
	uint32_t scratch = g->scratch, key = g->ways->key(g, e);

	g->scratch = scratch;
	code_put(g, KT_MGETV, 0, (int)e->map->number, 0, code_halves(key, at));
}

static void gen_ternary_wide(struct gen *g, struct expr *e, uint32_t at,
			     const struct trace_type *as)
{
	struct jumps *no = NULL, *end = NULL;

	g->ways->condition(g, e->a, false, &no);
	gen_wide(g, e->b, at, as);
	code_jump(g, &end, KT_JMP, 0);
	code_jumps_here(g, no);
	gen_wide(g, e->c, at, as);
	code_jumps_here(g, end);
}

static void gen_tuple(struct gen *g, struct expr *e, uint32_t at,
		      const struct trace_type *as)
{
	uint32_t i;

	for (i = 0; i < e->args_nr; i++)
		gen_into(g, e->args[i], at + as->fields[i].offset,
			 &as->fields[i].type);
}

/* Of a structure or an array that was copied. */
static bool is_part(const struct expr *e)
{
	return (e->kind == E_FIELD || e->kind == E_INDEX) && !e->arg &&
	       e->a->type.t.kind == TRACE_RECORD;
}

/* What is in scratch memory already. */
static bool has_place(const struct expr *e)
{
	if (e->kind == E_VAR)
		return true;
	if (e->kind == E_FIELD && !e->arg && e->a->type.t.kind == TRACE_TUPLE)
		return true;
	return is_part(e) && e->type.t.kind == TRACE_RECORD;
}

uint32_t gen_wide_place(struct gen *g, struct expr *e)
{
	uint32_t at;

	if (e->kind == E_VAR)
		return e->var->offset;
	if (is_part(e) && has_place(e))
		return gen_wide_place(g, e->a) + (uint32_t)e->value;
	if (has_place(e))
		return gen_wide_place(g, e->a) +
		       e->a->type.t.fields[e->value].offset;
	at = code_room(g, e->type.t.size);
	gen_wide(g, e, at, &e->type.t);
	return at;
}

/* An array of characters in what was copied. */
static void gen_part_text(struct gen *g, struct expr *e, uint32_t at)
{
	uint32_t scratch = g->scratch, from = gen_wide_place(g, e->a) + (uint32_t)e->value;
	uint32_t nr = (uint32_t)e->type.t.c->nr;

	g->scratch = scratch;
	code_put_copy(g, at, from, nr);
	code_put_zero(g, at + nr, ROUND8(e->type.t.size) - nr);
}

/* What is in memory, copied. */
static void gen_record(struct gen *g, struct expr *e, uint32_t at, const struct trace_type *as)
{
	int temps = g->temps, address = gen_address(g, e, -1);
	uint32_t size = (uint32_t)as->c->size;

	code_put(g, KT_READ, address, 0, text_user(g, e) ? KT_USER : 0, code_halves(at, size));
	code_put_zero(g, at + size, ROUND8(as->size) - size);
	g->temps = temps;
}

/* A number's bytes, or another array's. */
static void gen_array(struct gen *g, struct expr *e, uint32_t at)
{
	uint32_t size = (uint32_t)e->type.t.c->size;
	int temps = g->temps;

	if (type_is_number(&e->a->type)) {
		code_put_zero(g, at, 8);
		code_put_store(g, g->ways->value(g, e->a, -1), at,
			       size == 1 || size == 2 || size == 4 ? size : 8);
		if (size < 8)
			code_put_zero(g, at + size, 8 - size);
	} else {
		gen_into(g, e->a, at, &e->type.t);
	}
	g->temps = temps;
}

void gen_wide(struct gen *g, struct expr *e, uint32_t at,
	      const struct trace_type *as)
{
	uint32_t scratch = g->scratch, is_len = ROUND8(e->type.t.size);

	if (e->kind == E_CAST) {
		gen_array(g, e, at);
		code_put_zero(g, at + is_len, ROUND8(as->size) - is_len);
	} else if (e->kind == E_BLOCK) {
		g->ways->stmts(g, e->body);
		gen_wide(g, e->a, at, as);
	} else if (e->kind == E_TERNARY) {
		gen_ternary_wide(g, e, at, as);
	} else if (e->kind == E_STRING) {
		code_put_bytes(g, at, ROUND8(as->size), e->name, e->len);
	} else if (e->kind == E_TUPLE) {
		gen_tuple(g, e, at, as);
	} else if (has_place(e) || !same_layout(&e->type.t, as)) {
		copy_as(g, gen_wide_place(g, e), &e->type.t, at, as);
	} else {
		if (e->kind == E_MAP)
			gen_map_wide(g, e, at);
		else if (e->kind == E_NAME && !e->arg)
			builtin_gen_wide(g, e, at);
		else if (e->kind == E_CALL)
			e->call->wide(g, e, at);
		else if (is_part(e))
			gen_part_text(g, e, at);
		else
			gen_text(g, e, at);
		code_put_zero(g, at + is_len, ROUND8(as->size) - is_len);
	}
	g->scratch = scratch;
}

void gen_into(struct gen *g, struct expr *e, uint32_t at,
	      const struct trace_type *as)
{
	int temps = g->temps;
	uint32_t scratch = g->scratch;

	if ((int)e->type.t.kind >= TYPE_STRUCT && as->kind == TRACE_RECORD)
		gen_record(g, e, at, as);
	else if (type_is_wide(&e->type))
		gen_wide(g, e, at, as);
	else
		code_put_store(g, g->ways->value(g, e, -1), at, 8);
	g->temps = temps;
	g->scratch = scratch;
}
