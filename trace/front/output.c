/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * output.c - functions that send events to the reader: printf(), print(), exit().
 *
 * Owns: the functions that make events, and the description of each event for the reader.  Each
 * call is an event: the program sends its number and values, and the script defines their
 * meaning.
 */
#include "check.h"

#include <string.h>

static void text_wanted(struct check *c, const struct expr *e, const char *what)
{
	if (e->kind != E_STRING)
		front_fail(c->f, e->pos, "%s is a text in \"\"", what);
}

static void check_printf(struct check *c, struct expr *e)
{
	uint32_t i;

	text_wanted(c, e->args[0], "the format");
	for (i = 1; i < e->args_nr; i++)
		check_value(c, e->args[i]);
	format_check(c, e, e->args[0], 1);
}

/* Values from args on, one behind the other, and the event with them. */
static void send(struct gen *g, struct trace_event *event, struct expr **args,
		 uint32_t nr)
{
	struct trace_field *fields = front_alloc(g->f, nr * sizeof(*fields) + 1);
	uint32_t len = 0, at, i, number;

	for (i = 0; i < nr; i++) {
		fields[i].type = args[i]->type.t;
		if (event->kind == TRACE_PRINT && (int)fields[i].type.kind >= TYPE_STRUCT)
			fields[i].type = type_kept(args[i]->type).t;
		else if ((int)args[i]->type.t.kind >= TYPE_STRUCT)
			fields[i].type = (struct trace_type){ .kind = TRACE_POINTER,
							      .size = 8 };
		fields[i].offset = len;
		len += ROUND8(fields[i].type.size);
	}
	at = len ? code_room(g, len) : 0;
	for (i = 0; i < nr; i++)
		gen_into(g, args[i], at + fields[i].offset, &fields[i].type);
	event->fields = fields;
	event->fields_nr = nr;
	number = code_put_event(g, event);
	code_put(g, KT_EMIT, (int)(number & 255), (int)(number >> 8), 0, code_halves(at, len));
}

static struct trace_event event_of(struct gen *g, struct expr *e,
				   enum trace_event_kind kind)
{
	struct trace_event event = { .kind = kind };
	uint32_t column;

	front_line(g->f->text, g->f->len, e->pos.at, &event.line, &column);
	return event;
}

/* "script:1:9-62: ERROR: ", then the text and the end of its line. */
static char *with_place(struct front *f, const struct expr *e)
{
	const char *name = f->env->name ? f->env->name : "script";
	char *quoted = front_alloc(f, 2 * strlen(name) + 1), *to = quoted;
	uint32_t line, column;

	for (; *name; *to++ = *name++)
		if (*name == '%')
			*to++ = '%';
	front_line(f->text, f->len, e->pos.at, &line, &column);
	return front_format(f, "%s:%u:%u-%u: %s: %s\n", quoted, line, column,
			    column + e->pos.len, strcmp(e->name, "warnf") ? "ERROR" : "WARNING",
			    e->args[0]->name);
}

static int gen_printf(struct gen *g, struct expr *e, int want)
{
	enum trace_event_kind kind = !strcmp(e->name, "printf") ? TRACE_PRINTF :
				     !strcmp(e->name, "cat") ? TRACE_CAT :
				     !strcmp(e->name, "system") ? TRACE_SYSTEM :
				     TRACE_ERRORF;
	struct trace_event event = event_of(g, e, kind);

	event.format = kind == TRACE_ERRORF ? with_place(g->f, e) : (char *)e->args[0]->name;
	send(g, &event, e->args + 1, e->args_nr - 1);
	return want;
}

/* ---- maps --------------------------------------------------------- */

static void check_print(struct check *c, struct expr *e)
{
	struct expr *what = e->args[0];
	uint32_t i;

	if (what->kind != E_MAP) {
		if (e->args_nr > 1)
			front_fail(c->f, e->args[1]->pos, "only of a map some can be printed");
		check_value(c, what);
		if (!check_unknown(c, what) && (int)type_kept(what->type).t.kind >= TYPE_STRUCT)
			front_fail(c->f, what->pos, "%s cannot be printed: print its parts",
				   type_name(c->f, &what->type));
		return;
	}
	for (i = 1; i < e->args_nr; i++)
		check_want_constant(c, e->args[i], i == 1 ?
				    "how many are printed" : "what values are divided by");
	if (what->args_nr)
		check_map(c, what);
	else
		check_map_name(c, what);
	if (c->f->final && !what->map->has_kind)
		front_fail(c->f, what->pos, "nothing is ever put into %s", what->name);
}

static const struct trace_type count_type = { .kind = TRACE_INT, .size = 8 };

/* Keys, then how many are shown and what divides them. */
static void send_map(struct gen *g, struct trace_event *event, struct expr *e)
{
	struct map *m = e->args[0]->map;
	uint32_t keys = e->args[0]->args_nr ? m->keys_nr : 0, at, number, i;
	struct trace_field *fields = front_alloc(g->f, (keys + 2) * sizeof(*fields));
	int reg;

	at = code_room(g, m->key_len + 16);
	if (keys) {
		uint32_t scratch = g->scratch;

		g->scratch = at;
		gen_key(g, e->args[0]);
		g->scratch = scratch;
	}
	for (i = 0, number = 0; i < keys; i++) {
		fields[i].type = m->keys[i].t;
		fields[i].offset = number;
		number += ROUND8(m->keys[i].t.size);
	}
	for (i = 1; i < 3; i++) {
		uint32_t offset = (keys ? m->key_len : 0) + (i - 1) * 8;

		fields[keys + i - 1] = (struct trace_field){ count_type, offset };
		reg = code_temp(g);
		if (i < e->args_nr)
			gen_value(g, e->args[i], reg);
		else
			code_put_number(g, reg, 0);
		code_put_store(g, reg, at + offset, 8);
		g->temps = reg;
	}
	event->map = m->number;
	event->fields = fields;
	event->fields_nr = keys + 2;
	number = code_put_event(g, event);
	code_put(g, KT_EMIT, (int)(number & 255), (int)(number >> 8), 0,
		 code_halves(at, (keys ? m->key_len : 0) + 16));
}

static int gen_print(struct gen *g, struct expr *e, int want)
{
	struct expr *what = e->args[0];
	struct trace_event event = event_of(g, e, TRACE_PRINT);

	if (what->kind != E_MAP) {
		send(g, &event, e->args, 1);
		return want;
	}
	event.kind = what->args_nr ? TRACE_PRINT_KEY : TRACE_PRINT_MAP;
	send_map(g, &event, e);
	return want;
}

static void check_clear(struct check *c, struct expr *e)
{
	check_map_name(c, e->args[0]);
}

static int gen_clear(struct gen *g, struct expr *e, int want)
{
	struct trace_event event = event_of(g, e, !strcmp(e->name, "clear") ?
					    TRACE_CLEAR : TRACE_ZERO);

	event.map = e->args[0]->map->number;
	send(g, &event, NULL, 0);
	return want;
}

/* delete(@x[key]), and delete(@x, key) with one key or a tuple of them. */
static void check_key(struct check *c, struct expr *e)
{
	struct expr *what = e->args[0], *key;

	if (e->args_nr == 2 && what->kind == E_MAP && !what->args_nr) {
		key = e->args[1];
		what->args = key->kind == E_TUPLE ? key->args : &e->args[1];
		what->args_nr = key->kind == E_TUPLE ? key->args_nr : 1;
		e->args_nr = 1;
	}
	if (what->kind != E_MAP || e->args_nr != 1)
		front_fail(c->f, e->pos, "%s() is given a map's key: %s(@x[...])", e->name,
			   e->name);
	check_map(c, what);
	if (c->f->final && !what->map->has_kind)
		front_fail(c->f, what->pos, "nothing is ever put into %s", what->name);
	e->type = type_of(c, TRACE_BOOL, 8);
}

static int gen_key_op(struct gen *g, struct expr *e, int want)
{
	uint32_t scratch = g->scratch, key = gen_key(g, e->args[0]);

	g->scratch = scratch;
	want = code_dest(g, want);
	code_put(g, strcmp(e->name, "delete") ? KT_MHAS : KT_MDEL, want,
		 (int)e->args[0]->map->number, 0, code_halves(key, 0));
	return want;
}

/* ---- others --------------------------------------------------------- */

static void check_exit(struct check *c, struct expr *e)
{
	if (e->args_nr)
		check_number(c, e->args[0], "a status");
}

static int gen_exit(struct gen *g, struct expr *e, int want)
{
	struct trace_event event = event_of(g, e, TRACE_EXIT);

	send(g, &event, e->args, e->args_nr);
	code_put(g, KT_END, 0, 0, 0, 0);
	return want;
}

static void check_time(struct check *c, struct expr *e)
{
	if (e->args_nr)
		text_wanted(c, e->args[0], "the format");
}

static int gen_time(struct gen *g, struct expr *e, int want)
{
	struct trace_event event = event_of(g, e, TRACE_TIME_OF_DAY);

	event.format = e->args_nr ? (char *)e->args[0]->name : "%H:%M:%S\n";
	send(g, &event, NULL, 0);
	return want;
}

#define JOIN_MOST 16

static void check_join(struct check *c, struct expr *e)
{
	check_number(c, e->args[0], "the address of texts' addresses");
	if (e->args_nr == 2)
		text_wanted(c, e->args[1], "what is between the texts");
}

/* As many of them as there is room for, at most JOIN_MOST; the rest is empty. */
static int gen_join(struct gen *g, struct expr *e, int want)
{
	struct trace_event event = event_of(g, e, TRACE_JOIN);
	uint32_t size = ROUND8(g->f->env->strlen_max), number, nr, at, i;
	int reg = code_temp(g), text = code_temp(g), most = code_temp(g);
	int user = e->args[0]->type.user ? KT_USER : 0;
	struct jumps *end = NULL;

	gen_value(g, e->args[0], reg);
	nr = (KT_SCRATCH_MAX - g->scratch) / size;
	if (nr > JOIN_MOST)
		nr = JOIN_MOST;
	at = code_room(g, nr ? nr * size : size);
	event.format = e->args_nr == 2 ? (char *)e->args[1]->name : " ";
	event.fields = front_alloc(g->f, nr * sizeof(*event.fields) + 1);
	event.fields_nr = nr;
	code_put_zero(g, at, nr * size);
	code_put_number(g, most, size);
	for (i = 0; i < nr; i++) {
		event.fields[i].type = (struct trace_type){ .kind = TRACE_STRING,
							    .size = size };
		event.fields[i].offset = i * size;
		code_put(g, KT_LOAD, text, reg, KT_SIZE_8 | user, (int32_t)(8 * i));
		code_jump(g, &end, KT_JZ, text);
		code_put(g, KT_STR, text, most, user, code_halves(at + i * size, size));
	}
	code_jumps_here(g, end);
	number = code_put_event(g, &event);
	code_put(g, KT_EMIT, (int)(number & 255), (int)(number >> 8), 0,
		 code_halves(at, nr * size));
	return want;
}

/* A tracepoint of system calls is one of the kernel's functions, in the kernel. */
static bool is_function(const struct variant *v)
{
	return strcmp(v->attach->a.provider, "tracepoint") ?
	       strcmp(v->attach->a.provider, "profile") != 0 :
	       v->kernel && v->places && v->places->p.kind == TRACE_PLACE_CODE;
}

static void check_override(struct check *c, struct expr *e)
{
	if (c->v->kind != VARIANT_ENTRY || c->v->attach->a.offset ||
	    attach_has_own_args(c->v->attach) || !is_function(c->v))
		front_fail(c->f, e->pos, "override() belongs to a function's entry: use "
			   "kprobe:FUNCTION or uprobe:FUNCTION");
	check_number(c, e->args[0], "what the function is to return");
}

static int gen_override(struct gen *g, struct expr *e, int want)
{
	code_put(g, KT_OVERRIDE, gen_value(g, e->args[0], -1), 0, 0, 0);
	return want;
}

/* ---- what is known before anything runs --------------------------------------- */

static void check_static_assert(struct check *c, struct expr *e)
{
	int64_t holds = check_want_constant(c, e->args[0], "what is asserted");

	text_wanted(c, e->args[1], "what is said");
	if (!holds)
		front_fail(c->f, e->pos, "%s", e->args[1]->name);
}

static int gen_nothing(struct gen *g, struct expr *e, int want)
{
	(void)g;
	(void)e;
	return want;
}

/* Where code is made of it, it holds: an if whose condition is a constant has none else. */
static int gen_fail(struct gen *g, struct expr *e, int want)
{
	const char *format = e->args[0]->name, *at;
	char *text = front_alloc(g->f, 1);
	uint32_t i = 1;
	int64_t value;

	for (; (at = strchr(format, '%')); format = at + 2) {
		text = front_format(g->f, "%s%.*s", text, (int)(at - format), format);
		if (at[1] == '%')
			text = front_format(g->f, "%s%%", text);
		else if (e->args[i]->name && e->args[i]->kind != E_NAME)
			text = front_format(g->f, "%s%s", text, e->args[i]->name);
		else if (code_constant(e->args[i], &value))
			text = front_format(g->f, "%s%lld", text, (long long)value);
		else
			front_fail(g->f, e->args[i]->pos, "what front_fail() says is known before "
				   "anything runs");
		i += at[1] != '%';
	}
	front_fail(g->f, e->pos, "%s%s", text, format);
	return want;
}

const struct call calls_output[] = {
	{ .name = "static_assert", .least = 2, .most = 2, .check = check_static_assert,
	  .gen = gen_nothing },
	{ .name = "fail", .least = 1, .most = 64, .check = check_printf,
	  .gen = gen_fail },
	{ .name = "printf", .least = 1, .most = 64, .check = check_printf,
	  .gen = gen_printf },
	{ .name = "cat", .least = 1, .most = 64, .check = check_printf,
	  .gen = gen_printf },
	{ .name = "system", .least = 1, .most = 64, .check = check_printf,
	  .gen = gen_printf },
	{ .name = "errorf", .least = 1, .most = 64, .check = check_printf,
	  .gen = gen_printf },
	{ .name = "warnf", .least = 1, .most = 64, .check = check_printf,
	  .gen = gen_printf },
	{ .name = "print", .least = 1, .most = 3, .check = check_print,
	  .gen = gen_print },
	{ .name = "clear", .least = 1, .most = 1, .check = check_clear,
	  .gen = gen_clear },
	{ .name = "zero", .least = 1, .most = 1, .check = check_clear,
	  .gen = gen_clear },
	{ .name = "delete", .least = 1, .most = 2, .check = check_key,
	  .gen = gen_key_op },
	{ .name = "has_key", .least = 1, .most = 2, .check = check_key,
	  .gen = gen_key_op },
	{ .name = "exit", .least = 0, .most = 1, .check = check_exit,
	  .gen = gen_exit },
	{ .name = "time", .least = 0, .most = 1, .check = check_time,
	  .gen = gen_time },
	{ .name = "join", .least = 1, .most = 2, .check = check_join,
	  .gen = gen_join },
	{ .name = "override", .least = 1, .most = 1, .check = check_override,
	  .gen = gen_override },
	{ .name = "watch", .least = 2, .most = 2, .check = watch_check,
	  .gen = watch_gen },
	{ .name = "unwatch", .least = 1, .most = 1, .check = watch_check_end,
	  .gen = watch_gen_end },
	{ .name = NULL },
};
