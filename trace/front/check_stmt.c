/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * check_stmt.c - type checking of statements and whole clauses.
 *
 * Owns: struct check.
 */
#include "check.h"

#include <string.h>

static void check_stmts(struct check *c, struct stmt *s);

static void check_assign_var(struct check *c, struct stmt *s)
{
	struct var *var = check_find_var(c, s->a);

	s->a->var = var;
	if (call_aggregate(s->b))
		front_fail(c->f, s->b->pos, "%s() belongs to a map: @x = %s(...)",
			   s->b->name, s->b->name);
	check_value(c, s->b);
	var->is_set = true;
	if (check_unknown(c, s->b))
		return;
	if (!type_merge(c->f, &var->type, &s->b->type))
		front_fail(c->f, s->pos, "%s is %s, and cannot become %s: use another "
			   "variable", var->name, type_name(c->f, &var->type),
			   type_name(c->f, &s->b->type));
	s->a->type = var->type;
}

static void check_assign_map(struct check *c, struct stmt *s)
{
	struct map *m = check_map(c, s->a);
	struct type kept;

	if (call_aggregate(s->b)) {
		if (s->op)
			front_fail(c->f, s->pos, "%s() is assigned with =", s->b->name);
		call_check_aggregate(c, s->b, m);
		return;
	}
	check_value(c, s->b);
	check_map_kind(c, m, KT_MAP_VALUE, s->pos);
	m->assigned |= s->op != '+' && s->op != '-';
	if (check_unknown(c, s->b))
		return;
	kept = type_kept(s->b->type);
	if (!kept.t.size)
		front_fail(c->f, s->b->pos, "an empty tuple cannot be kept");
	if ((int)kept.t.kind >= TYPE_STRUCT)
		front_fail(c->f, s->b->pos, "%s cannot be kept: keep its address, or its "
			   "parts", type_name(c->f, &s->b->type));
	if (s->op && (!type_is_number(&kept) || (m->value.t.kind != TRACE_NONE &&
						 !type_is_number(&m->value))))
		front_fail(c->f, s->pos, "this computes with numbers only");
	if (!type_merge(c->f, &m->value, &kept))
		front_fail(c->f, s->pos, "%s holds %s, and cannot hold %s: use another map",
			   m->name, type_name(c->f, &m->value), type_name(c->f, &kept));
	s->a->type = m->value;
}

static void check_loop_body(struct check *c, struct stmt *s)
{
	c->loops++;
	check_stmts(c, s->body);
	c->loops--;
}

static void check_while(struct check *c, struct stmt *s)
{
	bool outer = c->has_break;
	unsigned int returns = c->returns;
	int64_t value;

	check_condition(c, s->a);
	c->has_break = false;
	check_loop_body(c, s);
	if (check_constant(c, s->a, &value) && value && !c->has_break &&
	    returns == c->returns)
		front_fail(c->f, s->a->pos, "this loop never ends: give it a condition, or "
			   "a break");
	c->has_break = outer;
}

static void check_for(struct check *c, struct stmt *s)
{
	struct var *var = check_find_var(c, s->a);
	struct type t = type_int(c, 8, true);

	check_number(c, s->b, "the begin of a loop");
	check_number(c, s->c, "the end of a loop");
	s->a->var = var;
	if (!type_merge(c->f, &var->type, &t) || !type_is_number(&var->type))
		front_fail(c->f, s->a->pos, "%s is %s above: use another variable",
			   var->name, type_name(c->f, &var->type));
	s->a->type = var->type;
	var->is_set = true;
	if (!s->var) {
		s->var = front_alloc(c->f, sizeof(*s->var));
		s->var->name = "";
		s->var->type = t;
	}
	check_loop_body(c, s);
}

/* What is in the map follows from the script's other uses of it. */
static void check_each(struct check *c, struct stmt *s)
{
	struct var *var = check_find_var(c, s->a);
	struct map *m = check_map_name(c, s->b);
	struct type value, t;

	s->a->var = var;
	var->is_set = true;
	if (m->has_keys && !m->keys_nr)
		front_fail(c->f, s->b->pos, "%s has no keys, which a loop could go through", m->name);
	if (m->has_keys && m->has_kind) {
		value = check_map_type(c, m, s->b->pos);
		t = type_pair(c, m->keys, m->keys_nr, &value);
		if (t.t.size > KT_SCRATCH_MAX)
			front_fail(c->f, s->b->pos, "a key and its value are larger than %u bytes",
				   KT_SCRATCH_MAX);
		if (value.t.kind && m->keys[0].t.kind)
			type_merge(c->f, &var->type, &t);
	}
	s->a->type = var->type;
	check_loop_body(c, s);
}

static void check_unroll(struct check *c, struct stmt *s)
{
	int64_t times = check_want_constant(c, s->a, "how often a loop is unrolled");

	if (times < 1 || times > 100)
		front_fail(c->f, s->a->pos, "a loop is unrolled 1 to 100 times: use while");
	s->op = (int)times;
	check_loop_body(c, s);
}

/* A variable is a number unless something else gives its type. */
static void check_let(struct check *c, struct stmt *s)
{
	struct var *var = check_find_var(c, s->a);
	struct type t = s->type ? type_of_c(c, s->type, !c->v->kernel, s->pos) :
			type_int(c, 8, true);

	s->a->var = var;
	var->is_set = true;
	if (t.t.kind == TRACE_INT && s->type)
		t.t.size = 8;
	if (s->type || (c->f->final && var->type.t.kind == TRACE_NONE))
		type_merge(c->f, &var->type, &t);
	s->a->type = var->type;
}

static void check_stmt(struct check *c, struct stmt *s)
{
	switch (s->kind) {
	case S_EXPR:
		if (call_aggregate(s->a))
			front_fail(c->f, s->pos, "%s() belongs to a map: @ = %s(...)",
				   s->a->name, s->a->name);
		check_expr(c, s->a);
		if (s->a->kind == E_CALL && !strcmp(s->a->name, "exit"))
			c->returns++;
		/* What it was is not asked for. */
		if (s->a->kind == E_STEP && s->a->a->kind == E_VAR)
			s->a->post = false;
		break;
	case S_ASSIGN:
		if (s->a->kind == E_VAR)
			check_assign_var(c, s);
		else
			check_assign_map(c, s);
		break;
	case S_LET: check_let(c, s); break;
	case S_IF:
		check_condition(c, s->a);
		/* A branch that can never run is not checked: scripts ask is_str(x) to guard one. */
		s->known = check_constant(c, s->a, &s->live);
		if (!s->known || s->live)
			check_stmts(c, s->body);
		if (!s->known || !s->live)
			check_stmts(c, s->other);
		break;
	case S_WHILE: check_while(c, s); break;
	case S_FOR: check_for(c, s); break;
	case S_EACH: check_each(c, s); break;
	case S_UNROLL: check_unroll(c, s); break;
	case S_BREAK:
	case S_CONTINUE:
		if (!c->loops)
			front_fail(c->f, s->pos, "there is no loop around this");
		c->has_break |= s->kind == S_BREAK;
		break;
	case S_RETURN:
		if (s->a)
			check_value(c, s->a);
		c->returns++;
		break;
	}
}

static void check_stmts(struct check *c, struct stmt *s)
{
	for (; s; s = s->next)
		check_stmt(c, s);
}

void check_variant(struct front *f, struct variant *v)
{
	static const struct check_ways ways = {
		.value = check_value, .number = check_number,
		.call = call_check, .is_output = call_is_output,
		.takes_nothing = call_takes_nothing, .stmts = check_stmts,
	};
	struct check c = { .f = f, .v = v, .ways = &ways };
	struct var *var;

	for (var = v->vars; var; var = var->next)
		var->is_set = false;
	if (v->clause->predicate)
		check_condition(&c, v->clause->predicate);
	check_stmts(&c, v->clause->body);
}
