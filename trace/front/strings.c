/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * strings.c - functions of text and bytes: str(), buf(), strlen(), strcontains() ...
 *
 * Owns: these functions, and the table of their names.
 */
#include "check.h"

#include <string.h>

/* A number, or what is in memory and has an address. */
void check_address(struct check *c, struct expr *e)
{
	check_expr(c, e);
	if (check_unknown(c, e) || (int)e->type.t.kind >= TYPE_STRUCT)
		return;
	if (!type_is_number(&e->type))
		front_fail(c->f, e->pos, "an address is expected, not %s",
			   type_name(c->f, &e->type));
}

int gen_user_flag(const struct expr *e)
{
	return e->type.user ? KT_USER : 0;
}

/* A text that is written down, or a parameter of the script; *offset: of $1 + 2. */
static const struct expr *literal(struct check *c, const struct expr *e, int64_t *offset)
{
	*offset = 0;
	if (e->kind == E_BINARY && e->op == '+' && e->a->is_param &&
	    check_constant(c, e->b, offset))
		e = e->a;
	return e->is_param || e->kind == E_STRING ? e : NULL;
}

/* Which part of a literal is meant: it is e->args[0] from then on. */
static void cut_literal(struct check *c, struct expr *e, const struct expr *text, int64_t offset)
{
	struct expr *part = front_alloc(c->f, sizeof(*part));
	int64_t most = INT64_MAX;

	if (offset < 0 || (uint64_t)offset > text->len)
		front_fail(c->f, e->args[0]->pos, "this is behind the end of the parameter, which "
			   "has %zu characters", text->len);
	if (e->args_nr == 2)
		most = check_want_constant(c, e->args[1], "the length of a text that is known");
	*part = (struct expr){
		.kind = E_STRING, .pos = e->args[0]->pos, .name = text->name + offset,
		.len = text->len - (size_t)offset,
	};
	if (most >= 0 && (uint64_t)most < part->len) {
		part->len = (size_t)most;
		part->name = front_text(c->f, part->name, part->len);
	}
	e->args[0] = part;
	e->args_nr = 1;
	check_expr(c, part);
}

/* A string stays as it is, or is cut. */
static void check_str_of_string(struct check *c, struct expr *e)
{
	const struct type *from = &e->args[0]->type;
	int64_t most = from->t.size;

	if (e->args_nr == 2)
		most = check_want_constant(c, e->args[1], "the length of a string");
	e->type = *from;
	e->value = most < 0 ? 0 : most;
	if ((uint64_t)e->value < from->t.size)
		e->type.t.size = ROUND8((uint32_t)e->value + 1);
}

static void check_str(struct check *c, struct expr *e)
{
	uint32_t most = c->f->env->strlen_max;
	const struct expr *text;
	int64_t n;

	text = literal(c, e->args[0], &n);
	if (text)
		cut_literal(c, e, text, n);
	else
		check_expr(c, e->args[0]);
	if (e->args[0]->type.t.kind == TRACE_STRING) {
		check_str_of_string(c, e);
		return;
	}
	check_address(c, e->args[0]);
	if (e->args_nr == 2)
		check_number(c, e->args[1], "the length of a string");
	/* What is asked for may be longer than what is usual. */
	if (e->args_nr == 2 && check_constant(c, e->args[1], &n) && n >= 0) {
		if (n + 1 > TRACE_STRLEN_MAX)
			front_warn(c->f, e->args[1]->pos, "strings have at most %u characters here",
				   TRACE_STRLEN_MAX - 1);
		most = n + 1 < TRACE_STRLEN_MAX ? (uint32_t)n + 1 : TRACE_STRLEN_MAX;
	}
	e->type = type_string(c, most);
}

static void wide_part_of_string(struct gen *g, struct expr *e, uint32_t at, uint32_t most)
{
	uint32_t scratch = g->scratch, from, size = ROUND8(e->type.t.size);

	if (most >= e->args[0]->type.t.size) {
		gen_wide(g, e->args[0], at, &e->type.t);
		return;
	}
	from = gen_wide_place(g, e->args[0]);
	code_put_copy(g, at, from, most);
	code_put_zero(g, at + most, size - most);
	g->scratch = scratch;
}

static void wide_str(struct gen *g, struct expr *e, uint32_t at)
{
	int temps = g->temps, address, most;

	if (e->args[0]->type.t.kind == TRACE_STRING) {
		wide_part_of_string(g, e, at, (uint32_t)e->value);
		return;
	}
	address = gen_value(g, e->args[0], -1);
	if (e->args_nr == 2) {
		most = gen_value(g, e->args[1], -1);
	} else {
		most = code_temp(g);
		code_put_number(g, most, e->type.t.size - 1);
	}
	code_put(g, KT_STR, address, most, gen_user_flag(e->args[0]),
		 code_halves(at, e->type.t.size));
	g->temps = temps;
}

/* A string's letters: of a text that is known, or of 16 of comm, all. */
static void check_buf_of_string(struct check *c, struct expr *e)
{
	const struct expr *text = e->args[0];
	int64_t n = text->kind == E_STRING ? (int64_t)text->len : text->type.t.size;

	if (e->args_nr == 2) {
		n = check_want_constant(c, e->args[1], "the length of a text's bytes");
		if (n < 1 || n > text->type.t.size)
			front_fail(c->f, e->args[1]->pos, "this text has 1 to %u bytes",
				   text->type.t.size);
	}
	if (!n)
		front_fail(c->f, text->pos, "this text is empty");
	e->type = type_of(c, TRACE_BUFFER, 8 + ROUND8((uint32_t)n));
	e->value = n;
}

static void check_buf(struct check *c, struct expr *e)
{
	int64_t n = c->f->env->strlen_max;
	uint64_t most = KT_SCRATCH_MAX - 8;

	check_expr(c, e->args[0]);
	if (e->args[0]->type.t.kind == TRACE_STRING) {
		check_buf_of_string(c, e);
		return;
	}
	check_address(c, e->args[0]);
	if (e->args_nr == 2) {
		check_number(c, e->args[1], "the length of a buffer");
		if (check_constant(c, e->args[1], &n) && (n < 1 || n > (int64_t)most))
			front_fail(c->f, e->args[1]->pos, "a buffer has 1 to %u bytes",
				   KT_SCRATCH_MAX - 8);
	} else if ((int)e->args[0]->type.t.kind >= TYPE_STRUCT) {
		n = (int64_t)ctype_whole(c->f, e->args[0]->type.t.c)->size;
		n = n < 1 ? 1 : n > (int64_t)most ? (int64_t)most : n;
	} else if (!check_unknown(c, e->args[0])) {
		front_fail(c->f, e->pos, "buf() is given a length, unless it is of an array: "
			   "buf(address, length)");
	}
	e->type = type_of(c, TRACE_BUFFER, 8 + ROUND8((uint32_t)n));
	e->value = n;
}

static void wide_buf(struct gen *g, struct expr *e, uint32_t at)
{
	int temps = g->temps, address, most;

	if (e->args[0]->type.t.kind == TRACE_STRING) {
		wide_part_of_string(g, &(struct expr){
			.args = e->args, .type.t = { .size = ROUND8(e->type.t.size) - 8 },
		}, at + 8, (uint32_t)e->value);
		most = code_temp(g);
		code_put_number(g, most, e->value);
		code_put_store(g, most, at, 8);
		g->temps = temps;
		return;
	}
	address = gen_value(g, e->args[0], -1);
	if (e->args_nr == 2) {
		most = gen_value(g, e->args[1], -1);
	} else {
		most = code_temp(g);
		code_put_number(g, most, e->value);
	}
	code_put(g, KT_BUF, address, most, gen_user_flag(e->args[0]),
		 code_halves(at, e->type.t.size));
	g->temps = temps;
}

static void check_strncmp(struct check *c, struct expr *e)
{
	uint32_t i;

	for (i = 0; i < 2; i++) {
		check_value(c, e->args[i]);
		if (!check_unknown(c, e->args[i]) &&
		    e->args[i]->type.t.kind != TRACE_STRING)
			front_fail(c->f, e->args[i]->pos, "this is %s: strncmp() compares "
				   "strings", type_name(c->f, &e->args[i]->type));
	}
	e->value = check_want_constant(c, e->args[2], "how much is compared");
	if (e->value < 1 || e->value > KT_SCRATCH_MAX)
		front_fail(c->f, e->args[2]->pos, "1 to %u characters are compared",
			   KT_SCRATCH_MAX);
	e->type = type_int(c, 8, true);
}

static int gen_strncmp(struct gen *g, struct expr *e, int want)
{
	uint32_t scratch = g->scratch, n = (uint32_t)e->value, a, b;

	if (n > e->args[0]->type.t.size)
		n = e->args[0]->type.t.size;
	if (n > e->args[1]->type.t.size)
		n = e->args[1]->type.t.size;
	a = gen_wide_place(g, e->args[0]);
	b = gen_wide_place(g, e->args[1]);
	g->scratch = scratch;
	want = code_dest(g, want);
	code_put(g, KT_SAME, want, (int)(n & 255), (int)(n >> 8), code_halves(a, b));
	code_put(g, KT_EQI, want, want, 0, 0);
	return want;
}

/* ---- what is in a string --------------------------------------------------------- */

/* A string, an array of characters; or the address of one, which is read. */
static void check_text(struct check *c, struct expr **e)
{
	const struct ctype *to;
	struct expr *call;

	check_value(c, *e);
	if (check_unknown(c, *e) || (*e)->type.t.kind == TRACE_STRING)
		return;
	to = type_to(c->f, &(*e)->type);
	if (!to || to->kind != CTYPE_INT || to->size != 1)
		front_fail(c->f, (*e)->pos, "this is %s, and no text", type_name(c->f, &(*e)->type));
	call = front_alloc(c->f, sizeof(*call));
	call->kind = E_CALL;
	call->pos = (*e)->pos;
	call->name = "str";
	call->args = front_alloc(c->f, sizeof(*call->args));
	call->args[0] = *e;
	call->args_nr = 1;
	*e = call;
	check_value(c, *e);
}

static void check_strlen(struct check *c, struct expr *e)
{
	check_text(c, &e->args[0]);
	e->type = type_int(c, 8, false);
}

static int gen_strlen(struct gen *g, struct expr *e, int want)
{
	uint32_t scratch = g->scratch, at = gen_wide_place(g, e->args[0]);

	g->scratch = scratch;
	want = code_dest(g, want);
	code_put(g, KT_STRLEN, want, 0, 0, code_halves(at, e->args[0]->type.t.size));
	return want;
}

static void check_strcap(struct check *c, struct expr *e)
{
	check_text(c, &e->args[0]);
	e->value = e->args[0]->type.t.size;
	e->type = type_int(c, 8, true);
}

static void check_search(struct check *c, struct expr *e)
{
	check_text(c, &e->args[0]);
	check_text(c, &e->args[1]);
	e->type = strcmp(e->name, "strstr") ? type_of(c, TRACE_BOOL, 8) : type_int(c, 8, true);
}

static int gen_search(struct gen *g, struct expr *e, int want)
{
	uint32_t scratch = g->scratch;
	uint32_t in = gen_wide_place(g, e->args[0]), what = gen_wide_place(g, e->args[1]);

	g->scratch = scratch;
	want = code_dest(g, want);
	code_put(g, strcmp(e->name, "globmatch") ? KT_INDEX : KT_GLOB, want, (int)ROUND8(e->args[0]->type.t.size) / 8,
		 (int)ROUND8(e->args[1]->type.t.size) / 8, code_halves(in, what));
	if (!strcmp(e->name, "strcontains"))
		code_put(g, KT_NEI, want, want, 0, -1);
	return want;
}

/* memcmp(): strings, arrays and structures, or the addresses of what is compared. */
static void check_memcmp(struct check *c, struct expr *e)
{
	uint32_t i;

	e->value = check_want_constant(c, e->args[2], "how much is compared");
	if (e->value < 0 || e->value > KT_SCRATCH_MAX / 4)
		front_fail(c->f, e->args[2]->pos, "0 to %u bytes are compared", KT_SCRATCH_MAX / 4);
	for (i = 0; i < 2; i++) {
		const struct type *t = &e->args[i]->type;

		check_value(c, e->args[i]);
		if (check_unknown(c, e->args[i]))
			continue;
		if (t->t.kind != TRACE_STRING && t->t.kind != TRACE_RECORD &&
		    (int)t->t.kind < TYPE_STRUCT && t->t.kind != TRACE_POINTER)
			front_fail(c->f, e->args[i]->pos, "this is %s: memcmp() compares strings, "
				   "arrays, structures, and what pointers point to",
				   type_name(c->f, t));
	}
	e->type = type_int(c, 8, true);
}

/* So many bytes of it; what it has less of is 0. */
static uint32_t compared(struct gen *g, struct expr *e, uint32_t n)
{
	struct type kept = type_kept(e->type);
	uint32_t size = type_is_wide(&kept) ? ROUND8(kept.t.size) : 0, at;
	int temps = g->temps;

	at = code_room(g, ROUND8(n) > size ? ROUND8(n) : size);
	if (size) {
		gen_into(g, e, at, &kept.t);
		if (ROUND8(n) > size)
			code_put_zero(g, at + size, ROUND8(n) - size);
	} else {
		code_put(g, KT_READ, gen_value(g, e, -1), 0, gen_user_flag(e), code_halves(at, n));
	}
	g->temps = temps;
	return at;
}

static int gen_memcmp(struct gen *g, struct expr *e, int want)
{
	uint32_t scratch = g->scratch, n = (uint32_t)e->value;
	uint32_t a = compared(g, e->args[0], n), b = compared(g, e->args[1], n);

	g->scratch = scratch;
	want = code_dest(g, want);
	code_put(g, KT_CMP, want, (int)(n & 255), (int)(n >> 8), code_halves(a, b));
	return want;
}

static void check_str_length(struct check *c, struct expr *e)
{
	e->value = c->f->env->strlen_max;
	e->type = type_int(c, 8, false);
}

const struct call calls_string[] = {
	{ .name = "memcmp", .least = 3, .most = 3, .check = check_memcmp,
	  .gen = gen_memcmp },
	{ .name = "globmatch", .least = 2, .most = 2, .check = check_search,
	  .gen = gen_search },
	{ .name = "default_str_length", .least = 0, .most = 0, .check = check_str_length,
	  .gen = code_known, .known = true },
	{ .name = "str", .least = 1, .most = 2, .check = check_str,
	  .wide = wide_str },
	{ .name = "buf", .least = 1, .most = 2, .check = check_buf,
	  .wide = wide_buf },
	{ .name = "strncmp", .least = 3, .most = 3, .check = check_strncmp,
	  .gen = gen_strncmp },
	{ .name = "strlen", .least = 1, .most = 1, .check = check_strlen,
	  .gen = gen_strlen },
	{ .name = "strcap", .least = 1, .most = 1, .check = check_strcap,
	  .gen = code_known, .known = true },
	{ .name = "strcontains", .least = 2, .most = 2, .check = check_search,
	  .gen = gen_search },
	{ .name = "strstr", .least = 2, .most = 2, .check = check_search,
	  .gen = gen_search },
	{ .name = NULL },
};
