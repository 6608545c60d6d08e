/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * compile.c - from a script's text to struct trace_script, step by step.
 *
 * Owns: the order of the passes. Each pass runs after the ones above it have succeeded.
 *
 *   1. parse: clauses
 *   2. places: where each is to run; what differs becomes a variant of its own
 *   3. check, until no type changes; then once more, finally
 *   4. instructions of each variant, from the types of that last check
 *   5. the program
 */
#include "check.h"

#include <string.h>

#define CHECKS_MAX 20

/* What a callback of trace_env.places() works on. */
struct collect {
	struct front *f;
	struct place *places, **last;
	uint32_t nr;
};

static char *keep_text(struct collect *to, const char *text)
{
	size_t len = text ? strlen(text) : 0;
	char *copy = text ? arena_get(to->f->arena, len + 1) : NULL;

	if (text && !copy)
		to->f->no_memory = true;
	else if (text)
		memcpy(copy, text, len);
	return copy;
}

/* Nothing can be refused here: that waits until the callback has returned. */
static void collect_place(void *arg, const struct trace_place *place)
{
	struct collect *to = arg;
	struct place *p;

	if (to->nr++ >= KT_PROBES_MAX)
		return;
	p = arena_get(to->f->arena, sizeof(*p));
	if (!p) {
		to->f->no_memory = true;
		return;
	}
	p->p = *place;
	p->group = 0;
	p->p.symbol = keep_text(to, place->symbol);
	p->p.name = keep_text(to, place->name ? place->name : "");
	p->p.function = keep_text(to, place->function ? place->function : "");
	*to->last = p;
	to->last = &p->next;
}

static struct variant *new_variant(struct front *f, struct clause *c,
				   struct attach *at)
{
	struct variant *v = front_alloc(f, sizeof(*v));

	*(f->last_variant ? f->last_variant : &f->variants) = v;
	f->last_variant = &v->next;
	v->last_place = &v->places;
	v->clause = c;
	v->attach = at;
	return v;
}

static bool is_block(const struct attach *at)
{
	return !strcmp(at->a.provider, "BEGIN") || !strcmp(at->a.provider, "END") ||
	       !strcmp(at->a.provider, "interval") || !strcmp(at->a.provider, "self");
}

static void add_block(struct front *f, struct clause *c, struct attach *at)
{
	struct variant *v = new_variant(f, c, at);

	v->kind = VARIANT_BLOCK;
	v->kernel = !f->env->user;
	v->block = at->a.provider[0] == 'B' ? TRACE_BEGIN :
		   at->a.provider[0] == 'E' ? TRACE_END :
		   at->a.provider[0] == 's' ? TRACE_SIGNAL : TRACE_INTERVAL;
}

static bool returns(const struct attach *at)
{
	return !strcmp(at->a.provider, "kretprobe") ||
	       !strcmp(at->a.provider, "uretprobe") ||
	       !strcmp(at->a.provider, "sysret") ||
	       (!strcmp(at->a.provider, "tracepoint") &&
		!strncmp(at->a.third, "sys_exit", 8));
}

/* Arguments, or what hits are meant, differ by place. */
static bool is_alone(const struct clause *c, const struct place *place)
{
	return c->uses_args || call_is_own(&place->p);
}

/* Where several have one name, code is for them alone: it may ask for the name. */
static bool has_its_name(const struct place *place, const struct place *other)
{
	return (!place->p.one_of_many && !other->p.one_of_many) ||
	       !strcmp(place->p.name, other->p.name);
}

/* What has the same instructions in either case. */
static bool same_returned(const struct trace_arg *a, const struct trace_arg *b)
{
	if (!a || !b)
		return a == b;
	return a->kind == b->kind && a->type->kind == b->type->kind &&
	       a->type->size == b->type->size && a->type->sign == b->type->sign;
}

/* The variant of a clause that a place belongs to; a new one if there is none. */
static struct variant *variant_of(struct front *f, struct clause *c,
				  struct attach *at, const struct place *place,
				  const struct trace_arg *returned)
{
	enum variant_kind kind = returns(at) ? VARIANT_RETURN : VARIANT_ENTRY;
	const char *why = NULL;
	struct variant *v;

	for (v = f->variants; v && !is_alone(c, place); v = v->next)
		if (v->clause == c && v->kind == kind && v->kernel == place->p.kernel &&
		    !is_alone(c, v->places) && has_its_name(place, v->places) &&
		    same_returned(returned, v->returned) &&
		    v->attach->a.watch == at->a.watch &&
		    !v->attach->a.offset == !at->a.offset)
			return v;
	v = new_variant(f, c, at);
	v->kind = kind;
	v->kernel = place->p.kernel;
	v->returned = returned;
	if (c->uses_args && at->a.watch) {
		v->args = watch_args(&v->args_nr);
	} else if (c->uses_args && f->env->args) {
		v->args = f->env->args(f->env->arg, &at->a,
				       kind == VARIANT_RETURN, &v->args_nr, &why);
		v->args_why = why ? front_text(f, why, strlen(why)) : NULL;
	}
	return v;
}

/* What is asked for the arguments of one place. */
static struct attach *own_attach(struct front *f, const struct attach *at,
				 const struct place *place)
{
	struct attach *own = front_alloc(f, sizeof(*own));

	*own = *at;
	if (strpbrk(at->text, "*?[")) {
		own->text = place->p.name;
		own->a.function = place->p.function;
	}
	/* Its function is not what it is called by. */
	if (own->text != at->text && (!strcmp(at->a.provider, "tracepoint") ||
				      !strcmp(at->a.provider, "usdt")))
		*own = *attach_from(f, place->p.name, at->pos);
	own->a.place = &place->p;
	return own;
}

/*
 * What a function returns, as far as that is known.  *why: it cannot be had, and the
 * clause asks for it.
 */
static const struct trace_arg *returned_at(struct front *f, const struct clause *c,
					   const struct attach *at, const char **why)
{
	const struct trace_arg *arg;
	const char *unknown;
	uint32_t nr = 0;

	if ((!c->uses_retval && !f->env->marks) || !f->env->args || !returns(at) ||
	    !strstr(at->a.provider, "retprobe"))
		return NULL;
	arg = f->env->args(f->env->arg, &at->a, true, &nr, &unknown);
	if (!arg || !nr || arg->kind == TRACE_ARG_NOWHERE) {
		*why = arg && nr && c->uses_retval ? arg->why : NULL;
		return NULL;
	}
	return arg;
}

static void add_place(struct front *f, struct clause *c, struct attach *at,
		      struct place *place, const char **why)
{
	const struct trace_arg *returned;
	struct attach *own = at;
	struct variant *v;

	place->next = NULL;
	place->needed = at->needed && !place->p.one_of_many;
	if (c->uses_args || c->uses_retval || f->env->marks)
		own = own_attach(f, at, place);
	returned = returned_at(f, c, own, why);
	if (*why)
		return;
	v = variant_of(f, c, c->uses_args ? own : at, place, returned);
	*v->last_place = place;
	v->last_place = &place->next;
	if (place->p.after)
		call_add_notes(f, v);
}

/* How many.  What returns something that cannot be had is left out. */
static uint32_t add_places(struct front *f, struct clause *c, struct attach *at,
			   struct place *place, const char **why)
{
	const char *first = NULL, *first_why = NULL;
	uint32_t nr = 0, left_out = 0;
	struct place *next;

	for (; place; place = next) {
		next = place->next;
		*why = NULL;
		add_place(f, c, at, place, why);
		nr += !*why;
		if (*why && !left_out++) {
			first = place->p.name;
			first_why = *why;
		}
	}
	*why = first_why;
	if (nr && left_out)
		front_warn(f, at->pos, "%u of these places are left out, the first is %s: %s",
			   left_out, first, first_why);
	return nr;
}

/* What the names of one attach point lead to may be one place: the module finds out. */
static void group_places(struct front *f, struct collect *to)
{
	struct place *p;
	bool named = false;

	for (p = to->places; p; p = p->next)
		named |= p->p.symbol != NULL;
	if (!named || to->nr < 2)
		return;
	f->groups++;
	for (p = to->places; p; p = p->next)
		p->group = f->groups;
}

static int find_places(struct front *f, struct clause *c, struct attach *at,
		       const char **why)
{
	struct collect to = { .f = f };
	int err;

	to.last = &to.places;
	*why = NULL;
	err = f->env->places(f->env->arg, &at->a, collect_place, &to, why);
	if (f->no_memory)
		front_fail(f, at->pos, "out of memory");
	if (to.nr > KT_PROBES_MAX)
		front_fail(f, at->pos, "these are more than %u places: name fewer",
			   KT_PROBES_MAX);
	if (!err && !to.nr)
		*why = "there is no such place";
	if (err || !to.nr)
		return -1;
	group_places(f, &to);
	return add_places(f, c, at, to.places, why) ? 0 : -1;
}

static void leave_out(struct front *f, const struct attach *at, const char *why)
{
	if (f->env->missing != TRACE_MISSING_IGNORE)
		front_warn(f, at->pos, "%s is left out: %s", at->text,
			   why ? why : "it is not there");
}

static void add_clause(struct front *f, struct clause *c)
{
	struct attach *at, *missing = NULL;
	const char *why;
	bool any = false;

	for (at = c->attach; at; at = at->next) {
		if (is_block(at)) {
			add_block(f, c, at);
			any = true;
		} else if (!find_places(f, c, at, &why)) {
			any = true;
		} else if (c->attach->next && f->env->missing != TRACE_MISSING_ERROR) {
			leave_out(f, at, why);
			missing = missing ? missing : at;
		} else if (f->env->missing > TRACE_MISSING_ERROR) {
			leave_out(f, at, why);
			any = true;
		} else {
			front_fail(f, at->pos, "%s: %s", at->text,
				   why ? why : "it is not there");
		}
	}
	/* One of a list is enough: kernels differ. */
	if (!any && f->env->missing <= TRACE_MISSING_ERROR)
		front_fail(f, missing->pos, "none of these places is there: %s",
			   f->script->warnings[f->script->warnings_nr - 1].text);
}

static void check_all(struct front *f)
{
	struct variant *v;
	int i;

	for (i = 0; i < CHECKS_MAX; i++) {
		f->changed = false;
		for (v = f->variants; v; v = v->next)
			if (v->clause)
				check_variant(f, v);
		if (!f->changed)
			break;
	}
	if (i == CHECKS_MAX)
		front_fail(f, f->clauses->attach->pos, "the types of this script's maps do not "
			   "come to an end: does one contain itself?");
	f->final = true;
}

/* Code that another one has already is used twice. */
static void share_code(struct front *f, struct variant *v)
{
	const struct kt_insn *all = f->code.all;
	struct variant *u;

	for (u = f->variants; u != v; u = u->next)
		if (u->nr == v->nr && !memcmp(&all[u->first], &all[v->first],
					      v->nr * sizeof(*all))) {
			v->first = u->first;
			f->code.nr -= v->nr;
			return;
		}
}

static void compile(struct front *f)
{
	struct clause *c;
	struct variant *v;

	parse_script(f);
	for (c = f->clauses; c; c = c->next)
		add_clause(f, c);
	if (!f->variants)
		front_fail(f, f->clauses->attach->pos, "none of the script's places is there");
	check_all(f);
	call_check_options(f);
	for (v = f->variants; v; v = v->next) {
		if (v->clause)
			check_variant(f, v);
		gen_variant(f, v);
		share_code(f, v);
	}
	blob_write(f);
}

struct trace_script *trace_compile(const char *text, size_t len,
				   const struct trace_env *env,
				   struct trace_error *error)
{
	struct front *f;
	struct trace_arena *arena = arena_new();

	memset(error, 0, sizeof(*error));
	f = arena ? arena_get(arena, sizeof(*f)) : NULL;
	if (!f || len > INT32_MAX) {
		strcpy(error->text, f ? "the script is too large" : "out of memory");
		arena_free(arena);
		return NULL;
	}
	f->arena = arena;
	f->text = text;
	f->len = len;
	f->env = env;
	f->error = error;
	if (setjmp(f->out)) {
		arena_free(arena);
		return NULL;
	}
	f->script = front_alloc(f, sizeof(*f->script));
	f->script->own = arena;
	compile(f);
	return f->script;
}

void trace_script_free(struct trace_script *script)
{
	if (script)
		arena_free(script->own);
}
