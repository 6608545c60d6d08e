/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * check_map.c - type checking of constants, variables and maps.
 *
 * Owns: struct map and struct var.
 */
#include "check.h"

#include <string.h>

/* ---- constants --------------------------------------------------------- */

static bool fold(int op, int64_t a, int64_t b, int64_t *value)
{
	uint64_t ua = (uint64_t)a, ub = (uint64_t)b;

	switch (op) {
	case '+': *value = (int64_t)(ua + ub); return true;
	case '-': *value = (int64_t)(ua - ub); return true;
	case '*': *value = (int64_t)(ua * ub); return true;
	case '/': *value = b > 0 ? a / b : 0; return a >= 0 && b > 0;
	case '%': *value = b > 0 ? a % b : 0; return a >= 0 && b > 0;
	case '&': *value = a & b; return true;
	case '|': *value = a | b; return true;
	case '^': *value = a ^ b; return true;
	case P_SHL: *value = (int64_t)(ua << (ub & 63)); return true;
	case P_SHR: *value = (int64_t)(ua >> (ub & 63)); return a >= 0;
	case P_EQ: *value = a == b; return true;
	case P_NE: *value = a != b; return true;
	case '<': *value = a < b; return a >= 0 && b >= 0;
	case '>': *value = a > b; return a >= 0 && b >= 0;
	case P_LE: *value = a <= b; return a >= 0 && b >= 0;
	case P_GE: *value = a >= b; return a >= 0 && b >= 0;
	case P_AND: *value = a && b; return true;
	case P_OR: *value = a || b; return true;
	default: return false;
	}
}

bool check_constant(struct check *c, struct expr *e, int64_t *value)
{
	int64_t a, b;

	switch (e->kind) {
	case E_INT:
	case E_SIZEOF:
	case E_OFFSETOF:
		*value = e->value;
		return true;
	case E_CALL:
		*value = e->value;
		return e->call && e->call->known && e->type.t.kind != TRACE_NONE;
	case E_NAME:
		if (e->builtin || e->arg)
			return false;
		*value = e->value;
		return true;
	case E_UNARY:
		if (e->op == '*' || !check_constant(c, e->a, &a))
			return false;
		*value = e->op == '-' ? (int64_t)-(uint64_t)a :
			 e->op == '~' ? ~a : !a;
		return true;
	case E_BINARY:
		return check_constant(c, e->a, &a) && check_constant(c, e->b, &b) &&
		       fold(e->op, a, b, value);
	default:
		return false;
	}
}

int64_t check_want_constant(struct check *c, struct expr *e, const char *what)
{
	int64_t value;

	c->ways->number(c, e, what);
	if (!check_constant(c, e, &value))
		front_fail(c->f, e->pos, "%s is a constant number", what);
	return value;
}

/* ---- variables and maps --------------------------------------------------------- */

struct var *check_find_var(struct check *c, const struct expr *e)
{
	struct var *var;

	for (var = c->v->vars; var; var = var->next)
		if (var->scope == e->scope && !strcmp(var->name, e->name))
			return var;
	var = front_alloc(c->f, sizeof(*var));
	var->name = e->name;
	var->scope = e->scope;
	var->next = c->v->vars;
	c->v->vars = var;
	return var;
}

void check_var(struct check *c, struct expr *e)
{
	e->var = check_find_var(c, e);
	if (!e->var->is_set)
		front_fail(c->f, e->pos, "%s has no value yet: assign one above", e->name);
	e->type = e->var->type;
}

static struct map *find_map(struct check *c, struct expr *e)
{
	struct front *f = c->f;
	struct map *m;

	for (m = f->maps; m; m = m->next)
		if (!strcmp(m->name, e->name))
			return m;
	if (f->maps_nr == KT_MAPS_MAX)
		front_fail(f, e->pos, "a script has at most %u maps", KT_MAPS_MAX);
	m = front_alloc(f, sizeof(*m));
	m->name = e->name;
	m->number = f->maps_nr++;
	m->pos = e->pos;
	m->next = f->maps;
	f->maps = m;
	f->changed = true;
	return m;
}

struct map *check_map_name(struct check *c, struct expr *e)
{
	if (e->kind != E_MAP || e->args_nr)
		front_fail(c->f, e->pos, "a map is expected here, without keys: @x");
	e->map = find_map(c, e);
	if (c->f->final && !e->map->has_kind)
		front_fail(c->f, e->pos, "nothing is ever put into %s", e->name);
	return e->map;
}

void check_map_kind(struct check *c, struct map *m, uint32_t kind, struct pos pos)
{
	if (m->has_kind && m->kind != kind)
		front_fail(c->f, pos, "%s is already something else: use another map",
			   m->name);
	c->f->changed |= !m->has_kind;
	m->has_kind = true;
	m->kind = kind;
}

static void check_key(struct check *c, struct map *m, uint32_t i, const struct type *key,
		      struct pos pos)
{
	struct type kept = type_kept(*key);

	if ((int)kept.t.kind == TYPE_STRUCT || (int)kept.t.kind == TYPE_ARRAY)
		front_fail(c->f, pos, "%s is no key: use one of its parts, or its "
			   "address", type_name(c->f, key));
	if (!type_merge(c->f, &m->keys[i], &kept))
		front_fail(c->f, pos, "this key of %s is %s elsewhere, not %s", m->name,
			   type_name(c->f, &m->keys[i]), type_name(c->f, key));
}

bool check_is_keys(const struct expr *e)
{
	return e->args_nr == 1 && e->args[0]->type.t.kind == TRACE_TUPLE;
}

struct map *check_map(struct check *c, struct expr *e)
{
	struct map *m = find_map(c, e);
	uint32_t i, nr;

	e->map = m;
	/* @x[(a, b)] is @x[a, b]. */
	if (e->args_nr == 1 && e->args[0]->kind == E_TUPLE && e->args[0]->args_nr) {
		e->args_nr = e->args[0]->args_nr;
		e->args = e->args[0]->args;
	}
	for (i = 0; i < e->args_nr; i++)
		c->ways->value(c, e->args[i]);
	nr = e->args_nr;
	if (check_is_keys(e)) {
		if (!e->args[0]->type.t.fields_nr)
			front_fail(c->f, e->args[0]->pos, "an empty tuple is no key");
		nr = e->args[0]->type.t.fields_nr;
	} else if (nr == 1 && e->args[0]->type.t.kind == TRACE_NONE) {
		/* It may be a tuple. */
		if (c->f->final)
			front_fail(c->f, e->args[0]->pos, "it does not follow from the script what "
				   "this is");
		return m;
	}
	if (!m->has_keys) {
		m->has_keys = true;
		m->keys_nr = nr;
		m->keys = front_alloc(c->f, nr * sizeof(*m->keys) + 1);
	}
	if (m->keys_nr != nr)
		front_fail(c->f, e->pos, "%s has %u key%s elsewhere, not %u", m->name,
			   m->keys_nr, m->keys_nr == 1 ? "" : "s", nr);
	m->key_len = 0;
	for (i = 0; i < m->keys_nr; i++) {
		check_key(c, m, i, check_is_keys(e) ?
			  &(struct type){ .t = e->args[0]->type.t.fields[i].type,
					  .user = e->args[0]->type.user } : &e->args[i]->type,
			  e->args[check_is_keys(e) ? 0 : i]->pos);
		m->key_len += ROUND8(m->keys[i].t.size);
	}
	if (m->key_len > KT_KEY_MAX)
		front_fail(c->f, e->pos, "the keys of a map have at most %u bytes",
			   KT_KEY_MAX);
	return m;
}

struct type check_map_type(struct check *c, const struct map *m, struct pos pos)
{
	if (m->kind == KT_MAP_VALUE)
		return m->value;
	if (m->kind == KT_MAP_COUNT)
		return type_int(c, 8, false);
	if (m->kind == KT_MAP_SUM)
		return type_int(c, 8, m->value.t.sign);
	if (m->kind == KT_MAP_HIST || m->kind == KT_MAP_LHIST)
		front_fail(c->f, pos, "%s is a histogram: only print() shows it", m->name);
	if (m->kind == KT_MAP_SERIES)
		front_fail(c->f, pos, "%s is a time series: only print() shows it", m->name);
	return type_int(c, 8, true);
}

void check_map_value(struct check *c, struct expr *e)
{
	struct map *m = check_map(c, e);

	if (m->has_kind)
		e->type = check_map_type(c, m, e->pos);
}
