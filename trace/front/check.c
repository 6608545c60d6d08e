/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * check.c - type checking of expressions.
 *
 * Owns: the types of expressions.  A check only ever widens a type, so repeated checking
 * terminates.
 */
#include "check.h"

#include <string.h>

bool check_unknown(struct check *c, const struct expr *e)
{
	if (e->type.t.kind != TRACE_NONE)
		return false;
	if (!c->f->final)
		return true;
	if (e->kind == E_MAP)
		front_fail(c->f, e->pos, "nothing is ever put into %s", e->name);
	if (e->kind == E_CALL)
		front_fail(c->f, e->pos, "%s() gives no value", e->name);
	if (e->kind == E_BLOCK && !e->a)
		front_fail(c->f, e->pos, "this block has no value: its last statement is to be an "
			   "expression without a ; behind it");
	front_fail(c->f, e->pos, "it does not follow from the script what this is");
}

void check_value(struct check *c, struct expr *e)
{
	uint64_t nr;

	check_expr(c, e);
	if (!type_is_text(&e->type))
		return;
	nr = e->type.t.c->nr;
	if (!nr || nr > c->f->env->strlen_max)
		nr = c->f->env->strlen_max;
	e->type.t.kind = TRACE_STRING;
	e->type.t.size = ROUND8((uint32_t)nr + 1);
}

/* It has been looked at: is it a number? */
static void want_number(struct check *c, const struct expr *e, const char *what)
{
	if (!check_unknown(c, e) && !type_is_number(&e->type))
		front_fail(c->f, e->pos, "%s is a number, not %s%s", what,
			   type_name(c->f, &e->type), e->type.t.kind == TRACE_STRING ?
			   ": strings can only be compared" : "");
}

void check_number(struct check *c, struct expr *e, const char *what)
{
	check_value(c, e);
	want_number(c, e, what);
}

void check_condition(struct check *c, struct expr *e)
{
	check_value(c, e);
	if (check_unknown(c, e))
		return;
	if (type_is_wide(&e->type) || (int)e->type.t.kind == TYPE_STRUCT)
		front_fail(c->f, e->pos, "a condition is a number, not %s%s",
			   type_name(c->f, &e->type), e->type.t.kind == TRACE_STRING ?
			   ": compare it, as in x != \"\"" : "");
}

/* Both have 8 bytes then; unsigned if one is that could not be negative else. */
static bool result_sign(const struct expr *a, const struct expr *b)
{
	const struct trace_type *ta = &a->type.t, *tb = &b->type.t;

	if (a->kind == E_INT && !a->is_unsigned && a->value >= 0)
		return tb->sign;
	if (b->kind == E_INT && !b->is_unsigned && b->value >= 0)
		return ta->sign;
	if (ta->sign == tb->sign)
		return ta->sign;
	return ta->sign ? tb->size < 8 : ta->size < 8;
}

static bool is_comparison(int op)
{
	return op == P_EQ || op == P_NE || op == '<' || op == '>' || op == P_LE ||
	       op == P_GE;
}

/* value < 0 of an unsigned value is an error; value >= 0 is always true, so it is a warning. */
static void check_never_negative(struct check *c, struct expr *e)
{
	static const char text[] = "this is never negative, for it has no sign: write (int64) or "
				   "(int32) before it";

	if (e->op == '<')
		front_fail(c->f, e->pos, "%s", text);
	front_warn(c->f, e->pos, "%s", text);
}

/* What is compared as a whole: tuples, arrays, structures. */
static bool has_bytes(const struct type *t)
{
	return t->t.kind == TRACE_TUPLE || t->t.kind == TRACE_RECORD || t->t.kind == TRACE_INET ||
	       (int)t->t.kind >= TYPE_STRUCT;
}

bool check_both(struct front *f, const struct expr *e, struct type *both)
{
	struct type a = type_kept(e->a->type), b = type_kept(e->b->type);
	bool changed = f->changed, fits;

	*both = a;
	if (a.t.kind == TRACE_RECORD && b.t.kind == TRACE_RECORD)
		fits = a.t.c->kind == b.t.c->kind && a.t.c->size == b.t.c->size;
	else
		fits = (a.t.kind == TRACE_TUPLE || a.t.kind == TRACE_INET) && type_merge(f, both, &b);
	f->changed = changed;	/* both is nobody's */
	return fits;
}

static void check_compare_bytes(struct check *c, struct expr *e)
{
	struct type both;

	if (e->op != P_EQ && e->op != P_NE)
		front_fail(c->f, e->pos, "only == and != compare %s",
			   type_name(c->f, &e->a->type));
	if (!check_both(c->f, e, &both))
		front_fail(c->f, e->pos, "%s and %s cannot be compared: they have other parts",
			   type_name(c->f, &e->a->type), type_name(c->f, &e->b->type));
}

static void check_compare(struct check *c, struct expr *e)
{
	const struct type *a = &e->a->type, *b = &e->b->type;

	e->type = type_of(c, TRACE_BOOL, 8);
	e->is_unsigned = !result_sign(e->a, e->b);
	if (type_is_number(a) && type_is_number(b)) {
		if ((e->op == '<' || e->op == P_GE) && !a->t.sign &&
		    a->t.size == 8 && e->b->kind == E_INT && !e->b->value &&
		    (c->v->attach->needed || !c->v->returned))
			check_never_negative(c, e);
		return;
	}
	if (has_bytes(a) && has_bytes(b)) {
		check_compare_bytes(c, e);
		return;
	}
	if (a->t.kind != b->t.kind || (int)a->t.kind >= TYPE_STRUCT)
		front_fail(c->f, e->pos, "%s and %s cannot be compared",
			   type_name(c->f, a), type_name(c->f, b));
	if (e->op != P_EQ && e->op != P_NE)
		front_fail(c->f, e->pos, "only == and != compare %s",
			   type_name(c->f, a));
	if (type_is_wide(a) && a->t.kind != TRACE_STRING)
		front_fail(c->f, e->pos, "%s cannot be compared",
			   type_name(c->f, a));
}

/* A pointer and a number: in steps of what it points to. */
static bool check_pointer_step(struct expr *e)
{
	struct expr *pointer = e->a->type.t.kind == TRACE_POINTER ? e->a : e->b;
	struct expr *number = pointer == e->a ? e->b : e->a;

	if (pointer->type.t.kind != TRACE_POINTER ||
	    number->type.t.kind == TRACE_POINTER)
		return false;
	if (e->op != '+' && (e->op != '-' || pointer != e->a))
		return false;
	e->type = pointer->type;
	return true;
}

static void check_binary(struct check *c, struct expr *e)
{
	if (e->op == P_AND || e->op == P_OR) {
		check_condition(c, e->a);
		check_condition(c, e->b);
		e->type = type_of(c, TRACE_BOOL, 8);
		return;
	}
	check_value(c, e->a);
	check_value(c, e->b);
	if (check_unknown(c, e->a) || check_unknown(c, e->b)) {
		if (is_comparison(e->op))
			e->type = type_of(c, TRACE_BOOL, 8);
		return;
	}
	if (is_comparison(e->op)) {
		check_compare(c, e);
		return;
	}
	want_number(c, e->a, "what is computed with");
	want_number(c, e->b, "what is computed with");
	if (check_pointer_step(e))
		return;
	e->type = type_int(c, 8, result_sign(e->a, e->b));
	e->type.user = e->a->type.user || e->b->type.user;
	if (e->op == P_SHL || e->op == P_SHR)
		e->type.t.sign = e->a->type.t.sign;
	if ((e->op == '/' || e->op == '%') && e->b->kind == E_INT && !e->b->value)
		front_warn(c->f, e->pos, e->op == '/' ? "this divides by 0, which gives 0" :
			   "this divides by 0: the remainder is what was to be divided");
}

static void check_deref(struct check *c, struct expr *e)
{
	const struct ctype *to;

	if (e->a->type.t.kind == TRACE_INT) {
		e->type = type_int(c, 8, false);
		e->type.user = e->a->type.user;
		return;
	}
	to = type_to(c->f, &e->a->type);
	if (!to)
		front_fail(c->f, e->pos, "it is not known what is there: cast it, as in "
			   "*(uint64 *)x");
	e->type = type_of_c(c, to, e->a->type.user, e->pos);
}

/* Of what is in memory: &p->field, &a[3]. */
static void check_address_of(struct check *c, struct expr *e)
{
	const struct expr *a = e->a;
	bool part = a->kind == E_FIELD || a->kind == E_INDEX;

	if (!a->arg && (!part || a->a->type.t.kind == TRACE_TUPLE ||
			a->a->type.t.kind == TRACE_RECORD))
		front_fail(c->f, e->pos, "a variable or a map has no address here: only what is "
			   "in memory has, as in &p->field");
	if (part && !a->arg && a->kind == E_FIELD && a->field && a->field->bits)
		front_fail(c->f, e->pos, "a bit-field has no address");
	e->type = type_of(c, TRACE_POINTER, 8);
	e->type.user = a->type.user;
	if (a->arg)
		e->type.t.c = ctype_pointer(c->f, a->arg->type);
	else if (a->kind == E_FIELD)
		e->type.t.c = ctype_pointer(c->f, a->field->type);
	else
		e->type.t.c = ctype_pointer(c->f, type_to(c->f, &a->a->type));
}

static void check_unary(struct check *c, struct expr *e)
{
	if (e->op == '!') {
		check_condition(c, e->a);
		e->type = type_of(c, TRACE_BOOL, 8);
		return;
	}
	check_expr(c, e->a);
	if (check_unknown(c, e->a))
		return;
	if (e->op == '&') {
		check_address_of(c, e);
		return;
	}
	if ((int)e->a->type.t.kind != TYPE_ARRAY || e->op != '*')
		want_number(c, e->a, e->op == '*' ? "an address" :
			    "what is computed with");
	if (e->op == '*') {
		check_deref(c, e);
		return;
	}
	e->type = type_int(c, 8, e->op == '-' || e->a->type.t.sign);
}

static void check_ternary(struct check *c, struct expr *e)
{
	struct type t;
	bool changed;

	check_condition(c, e->a);
	check_value(c, e->b);
	check_value(c, e->c);
	changed = c->f->changed;
	if (c->ways->is_output(e->b) && c->ways->is_output(e->c))
		return;
	if (check_unknown(c, e->b) || check_unknown(c, e->c)) {
		e->type = e->b->type.t.kind ? e->b->type : e->c->type;
		return;
	}
	t = e->b->type;
	if (!type_merge(c->f, &t, &e->c->type))
		front_fail(c->f, e->pos, "both values must be of one type, not %s and %s",
			   type_name(c->f, &e->b->type), type_name(c->f, &e->c->type));
	c->f->changed = changed;	/* t is nobody's */
	e->type = t;
	if (type_is_number(&t))
		e->type.t.sign = result_sign(e->b, e->c);
}

static bool is_array(const struct type *t)
{
	return (int)t->t.kind == TYPE_ARRAY ||
	       (t->t.kind == TRACE_RECORD && t->t.c->kind == CTYPE_ARRAY);
}

static uint64_t bytes_of(struct check *c, const struct type *t)
{
	return is_array(t) ? ctype_whole(c->f, t->t.c)->size : t->t.size;
}

/* (uint8[8])x: the bytes of a number or of another array, in the order of memory. */
static void check_cast_to_array(struct check *c, struct expr *e, const struct ctype *to)
{
	const struct type *from = &e->a->type;
	const struct ctype *of = ctype_whole(c->f, to->to);
	struct ctype *known;

	if (of->kind != CTYPE_INT || (!type_is_number(from) && !is_array(from)))
		front_fail(c->f, e->pos, "only numbers and arrays of numbers become an array of "
			   "numbers");
	if (!to->nr) {
		known = front_alloc(c->f, sizeof(*known));
		*known = *to;
		known->nr = bytes_of(c, from) / of->size;
		known->size = known->nr * of->size;
		e->cast = to = known;
	}
	/* A number that is written down has whatever size is asked for. */
	if (to->size != bytes_of(c, from) && (e->a->kind != E_INT || to->size > 8))
		front_fail(c->f, e->pos, "the array has %llu bytes, and what is cast has %llu",
			   (unsigned long long)to->size, (unsigned long long)bytes_of(c, from));
	e->type = type_of(c, TRACE_RECORD, ROUND8((uint32_t)to->size));
	e->type.t.c = to;
}

static void check_cast(struct check *c, struct expr *e)
{
	const struct ctype *to = ctype_whole(c->f, e->cast);

	check_expr(c, e->a);
	if (check_unknown(c, e->a))
		return;
	if (to->kind == CTYPE_ARRAY) {
		check_cast_to_array(c, e, to);
		return;
	}
	if (is_array(&e->a->type) && to->kind == CTYPE_INT) {
		if (bytes_of(c, &e->a->type) != to->size)
			front_fail(c->f, e->pos, "the array has %llu bytes, and %s has %llu: cast "
				   "to one of its size, or &x for its address",
				   (unsigned long long)bytes_of(c, &e->a->type), to->name,
				   (unsigned long long)to->size);
		e->type = type_of_c(c, to, e->a->type.user, e->pos);
		return;
	}
	if (to->kind != CTYPE_INT && to->kind != CTYPE_POINTER &&
	    to->kind != CTYPE_ENUM)
		front_fail(c->f, e->pos, "a value becomes no %s: cast to a pointer, as in "
			   "(%s *)x", to->name, to->name);
	if (type_is_wide(&e->a->type) && e->a->type.t.kind != TRACE_BUFFER)
		front_fail(c->f, e->pos, "%s cannot be cast", type_name(c->f, &e->a->type));
	if (e->a->type.t.kind == TRACE_BUFFER)
		front_fail(c->f, e->pos, "a buffer cannot be cast: cast its address");
	e->type = type_of_c(c, to, e->a->type.user, e->pos);
	if (!strcmp(to->name, "bool") && type_is_number(&e->a->type))
		e->type = type_of(c, TRACE_BOOL, 8);
	if ((int)e->a->type.t.kind == TYPE_STRUCT)
		front_fail(c->f, e->pos, "a structure cannot be cast: use its address");
}

/* "1.5" */
static void refuse_fraction(struct check *c, const struct expr *e)
{
	if (e->a->kind == E_INT && !e->name[0])
		front_fail(c->f, e->pos, "there are no fractions: compute with integers");
}

static void check_tuple_field(struct check *c, struct expr *e)
{
	uint32_t nr = e->a->type.t.fields_nr;

	if (!nr)
		front_fail(c->f, e->pos, "this tuple is empty");
	if (e->name[0] || e->value < 0 || e->value >= nr)
		front_fail(c->f, e->pos, "a tuple's fields are .0 to .%u", nr - 1);
	e->type = (struct type){ .t = e->a->type.t.fields[e->value].type,
				 .user = e->a->type.user };
}

static noreturn void no_field(struct check *c, struct expr *e,
			      const struct ctype *s)
{
	const char *names[256], *meant;
	uint32_t i;

	if (s->incomplete)
		front_fail(c->f, e->pos, "what %s is made of is not known: define it in the "
			   "script, or install its debugging information", s->name);
	for (i = 0; i < s->fields_nr && i < ARRAY_SIZE(names); i++)
		names[i] = s->fields[i].name;
	meant = front_meant(e->name, names, i);
	if (meant)
		front_fail(c->f, e->pos, "%s has no field %s: is %s meant?", s->name,
			   e->name, meant);
	front_fail(c->f, e->pos, "%s has no field %s",
		   s->name[0] ? s->name : "this structure", e->name);
}

/* A part of what was copied: a structure or an array is one of its own. */
static struct type part_type(struct check *c, const struct ctype *part, bool user,
			     struct pos pos)
{
	struct type t = type_of_c(c, part, user, pos);

	if (!type_is_text(&t))
		return (int)t.t.kind >= TYPE_STRUCT ? type_kept(t) : t;
	t.t.kind = TRACE_STRING;
	t.t.size = ROUND8((uint32_t)t.t.c->nr + 1);
	return t;
}

static void check_record_field(struct check *c, struct expr *e)
{
	const struct ctype *s = e->a->type.t.c;
	uint64_t offset = 0;

	if (s->kind != CTYPE_STRUCT)
		front_fail(c->f, e->pos, "an array has no fields: its elements are [0] to [%llu]",
			   (unsigned long long)(s->nr ? s->nr - 1 : 0));
	e->field = ctype_field(c->f, s, e->name, &offset);
	if (!e->field)
		no_field(c, e, s);
	e->op = '.';
	e->value = (int64_t)offset;
	e->type = part_type(c, e->field->type, e->a->type.user, e->pos);
}

static void check_record_index(struct check *c, struct expr *e)
{
	const struct ctype *array = e->a->type.t.c;

	e->value = check_want_constant(c, e->b, "the number of an element that was copied");
	if (array->kind != CTYPE_ARRAY || e->value < 0 || (uint64_t)e->value >= array->nr)
		front_fail(c->f, e->pos, "this array has %llu elements, counted from 0",
			   (unsigned long long)(array->kind == CTYPE_ARRAY ? array->nr : 0));
	e->value *= (int64_t)ctype_whole(c->f, array->to)->size;
	e->field = NULL;
	e->type = part_type(c, array->to, e->a->type.user, e->pos);
}

static void check_field(struct check *c, struct expr *e)
{
	const struct ctype *s;
	uint64_t offset = 0;
	bool is_pointer;

	if (e->a->kind == E_NAME && !strcmp(e->a->name, "args")) {
		builtin_arg(c, e);
		return;
	}
	refuse_fraction(c, e);
	check_expr(c, e->a);
	if (check_unknown(c, e->a))
		return;
	if (e->a->type.t.kind == TRACE_TUPLE) {
		check_tuple_field(c, e);
		return;
	}
	if (e->a->type.t.kind == TRACE_RECORD) {
		check_record_field(c, e);
		return;
	}
	is_pointer = e->a->type.t.kind == TRACE_POINTER;
	s = is_pointer ? type_to(c->f, &e->a->type) :
	    (int)e->a->type.t.kind == TYPE_STRUCT ? ctype_whole(c->f, e->a->type.t.c) :
	    NULL;
	if (!s || s->kind != CTYPE_STRUCT)
		front_fail(c->f, e->a->pos, "this is %s and has no fields: cast it, as in "
			   "((struct x *)p)->%s", type_name(c->f, &e->a->type), e->name);
	if (!is_pointer && e->op == P_ARROW)
		front_fail(c->f, e->pos, "this is no pointer: use . instead of ->");
	e->op = is_pointer ? P_ARROW : '.';
	e->field = ctype_field(c->f, s, e->name, &offset);
	if (!e->field)
		no_field(c, e, s);
	e->value = (int64_t)offset;
	e->type = type_of_c(c, e->field->type, e->a->type.user, e->pos);
}

static void check_index(struct check *c, struct expr *e)
{
	const struct ctype *to;
	int64_t value;

	e->arg = NULL;
	check_expr(c, e->a);
	if (e->a->arg && e->a->arg->kind == TRACE_ARG_ELEMENTS) {
		builtin_element(c, e);
		return;
	}
	if (e->a->type.t.kind == TRACE_RECORD) {
		check_record_index(c, e);
		return;
	}
	if (e->a->type.t.kind == TRACE_TUPLE) {
		e->value = check_want_constant(c, e->b, "the number of a tuple's field");
		e->name = "";
		e->kind = E_FIELD;
		check_tuple_field(c, e);
		return;
	}
	if (e->a->type.t.kind == TRACE_STRING) {
		e->value = check_want_constant(c, e->b, "the number of a string's character");
		if (e->value < 0 || e->value >= e->a->type.t.size)
			front_fail(c->f, e->b->pos, "this string has room for %u characters, counted "
				   "from 0", e->a->type.t.size);
		e->field = NULL;
		e->type = type_int(c, 1, true);
		return;
	}
	check_number(c, e->b, "an index");
	if (check_unknown(c, e->a) || check_unknown(c, e->b))
		return;
	to = type_to(c->f, &e->a->type);
	if (!to || !to->size)
		front_fail(c->f, e->a->pos, "this is %s and has no elements: cast it to a "
			   "pointer, as in ((uint8 *)p)[0]", type_name(c->f, &e->a->type));
	if ((int)e->a->type.t.kind == TYPE_ARRAY && e->a->type.t.c->nr &&
	    check_constant(c, e->b, &value) &&
	    (value < 0 || (uint64_t)value >= e->a->type.t.c->nr))
		front_fail(c->f, e->pos, "this array has %llu elements, counted from 0",
			   (unsigned long long)e->a->type.t.c->nr);
	e->type = type_of_c(c, to, e->a->type.user, e->pos);
}

static void check_step(struct check *c, struct expr *e)
{
	struct expr *a = e->a;
	struct type t = type_int(c, 8, true);

	if (a->kind != E_VAR && a->kind != E_MAP)
		front_fail(c->f, e->pos, "this cannot be changed: only $variables and @maps "
			   "can");
	if (a->kind == E_MAP) {
		struct map *m = check_map(c, a);

		check_map_kind(c, m, KT_MAP_VALUE, e->pos);
		if (m->value.t.kind == TRACE_NONE)
			type_merge(c->f, &m->value, &t);
		a->type = m->value;
	} else {
		check_var(c, a);
	}
	if (!check_unknown(c, a) && !type_is_number(&a->type))
		front_fail(c->f, e->pos, "only numbers can be counted up and down, not %s",
			   type_name(c->f, &a->type));
	e->type = a->type;
}

/* Of a value as a member of a C structure; what is kept as a tuple is larger. */
struct in_c {
	int64_t size, align;
};

static struct in_c size_in_c(const struct expr *e);

static struct in_c type_in_c(const struct trace_type *t)
{
	struct in_c all = { 0, 1 }, part;
	uint32_t i;

	if (t->kind != TRACE_TUPLE)
		return (struct in_c){ t->size, t->size == 1 || t->size == 2 || t->size == 4 ?
					       t->size : t->kind == TRACE_STRING ? 1 : 8 };
	for (i = 0; i < t->fields_nr; i++) {
		part = type_in_c(&t->fields[i].type);
		all.size = (all.size + part.align - 1) / part.align * part.align + part.size;
		all.align = part.align > all.align ? part.align : all.align;
	}
	all.size = (all.size + all.align - 1) / all.align * all.align;
	return all;
}

static struct in_c size_in_c(const struct expr *e)
{
	struct in_c all = { 0, 1 }, part;
	uint32_t i;

	if (e->kind == E_STRING)
		return (struct in_c){ (int64_t)e->len + 1, 1 };
	if (e->kind != E_TUPLE)
		return type_in_c(&e->type.t);
	for (i = 0; i < e->args_nr; i++) {
		part = size_in_c(e->args[i]);
		all.size = (all.size + part.align - 1) / part.align * part.align + part.size;
		all.align = part.align > all.align ? part.align : all.align;
	}
	all.size = (all.size + all.align - 1) / all.align * all.align;
	return all;
}

static void check_sizeof(struct check *c, struct expr *e)
{
	const struct ctype *type = e->cast;

	if (e->a) {
		check_expr(c, e->a);
		if (check_unknown(c, e->a))
			return;
		type = (int)e->a->type.t.kind >= TYPE_STRUCT ? e->a->type.t.c : NULL;
		e->value = e->a->type.t.kind == TRACE_TUPLE ? size_in_c(e->a).size :
			   e->a->kind == E_STRING ? (int64_t)e->a->len + 1 : e->a->type.t.size;
	}
	if (type) {
		type = ctype_whole(c->f, type);
		if (type->incomplete)
			front_fail(c->f, e->pos, "what %s is made of is not known",
				   type->name);
		e->value = (int64_t)type->size;
	}
	e->type = type_int(c, 8, false);
}

static void check_offsetof(struct check *c, struct expr *e)
{
	const struct ctype *s = e->cast;
	const struct cfield *field = NULL;
	char *path = front_text(c->f, e->name, strlen(e->name)), *word;
	uint64_t offset = 0;

	e->type = type_int(c, 8, false);
	if (e->a) {
		check_expr(c, e->a);
		if (check_unknown(c, e->a))
			return;
		s = e->a->type.t.kind == TRACE_POINTER ? type_to(c->f, &e->a->type) :
		    e->a->type.t.c;
		if (!s || ctype_whole(c->f, s)->kind != CTYPE_STRUCT)
			front_fail(c->f, e->a->pos, "this is %s and has no fields",
				   type_name(c->f, &e->a->type));
	}

	while ((word = strsep(&path, "."))) {
		field = ctype_field(c->f, s, word, &offset);
		if (!field)
			front_fail(c->f, e->pos, "%s has no field %s", s->name, word);
		s = field->type;
	}
	e->value = (int64_t)offset;
}

static noreturn void unknown_name(struct check *c, struct expr *e)
{
	const char *names[128], *meant;

	meant = front_meant(e->name, names, builtin_names(names));
	if (meant)
		front_fail(c->f, e->pos, "%s is not known here: is %s meant?", e->name,
			   meant);
	front_fail(c->f, e->pos, "%s is not known here: variables begin with $, maps with @",
		   e->name);
}

static void check_name(struct check *c, struct expr *e)
{
	const struct ctype *type;

	e->arg = NULL;
	if (builtin_check(c, e))
		return;
	e->value = !strcmp(e->name, "true");
	if (e->value || !strcmp(e->name, "false")) {
		e->type = type_of(c, TRACE_BOOL, 8);
		return;
	}
	if (!ctype_constant(c->f, e->name, &e->value, &type)) {
		if (!c->ways->takes_nothing(e->name))
			unknown_name(c, e);
		e->kind = E_CALL;
		c->ways->call(c, e);
		return;
	}
	e->type = type_int(c, 8, true);
	if (!type)
		return;
	e->type.t.kind = TRACE_ENUM;
	e->type.t.c = type;
}

void check_expr(struct check *c, struct expr *e)
{
	uint32_t i;

	e->type = (struct type){ .t.kind = TRACE_NONE };
	switch (e->kind) {
	case E_INT:
		e->type = type_int(c, 8, !e->is_unsigned);
		break;
	case E_STRING:
		e->type = type_string(c, e->len + 1);
		break;
	case E_NAME: check_name(c, e); break;
	case E_VAR: check_var(c, e); break;
	case E_MAP: check_map_value(c, e); break;
	case E_CALL: c->ways->call(c, e); break;
	case E_UNARY: check_unary(c, e); break;
	case E_BINARY: check_binary(c, e); break;
	case E_TERNARY: check_ternary(c, e); break;
	case E_CAST: check_cast(c, e); break;
	case E_FIELD: check_field(c, e); break;
	case E_INDEX: check_index(c, e); break;
	case E_STEP: check_step(c, e); break;
	case E_SIZEOF: check_sizeof(c, e); break;
	case E_OFFSETOF: check_offsetof(c, e); break;
	case E_BLOCK:
		c->ways->stmts(c, e->body);
		if (!e->a)
			break;
		check_value(c, e->a);
		e->type = e->a->type;
		break;
	case E_TUPLE:
		for (i = 0; i < e->args_nr; i++) {
			check_value(c, e->args[i]);
			if (check_unknown(c, e->args[i]))
				return;
			if ((int)type_kept(e->args[i]->type).t.kind >= TYPE_STRUCT)
				front_fail(c->f, e->args[i]->pos, "%s cannot be put into a "
					   "tuple", type_name(c->f, &e->args[i]->type));
		}
		e->type = type_tuple(c, e->args, e->args_nr, e->pos);
		break;
	}
}
