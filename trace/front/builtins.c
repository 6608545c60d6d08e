/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * builtins.c - builtins: pid, comm, arg0, args.NAME.
 *
 * Owns: the table of builtins: where each may be used, its type, and the instructions that read
 * it.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ANY	1u			/* also where no registers are */
#define ENTRY	2u
#define RETURN	4u
#define KERNEL	8u			/* not in a process */
#define HIT	(ENTRY | RETURN)

/* Instead of an enum kt_get: what is known, or made of others. */
enum { OF_NCPUS = KT_GETS, OF_USERMODE, OF_CPID, OF_HAS_CPID, OF_PROBETYPE, OF_ARGS };

struct builtin {
	const char *name;
	unsigned int where;
	enum trace_kind kind;
	int get;			/* enum kt_get, OF_...; or -1 */
	const char *instead;		/* why it is refused */
};

static const struct builtin builtins[] = {
	{ "pid", ANY, TRACE_INT, KT_GET_PID, NULL },
	{ "tid", ANY, TRACE_INT, KT_GET_TID, NULL },
	{ "uid", ANY, TRACE_INT, KT_GET_UID, NULL },
	{ "gid", ANY, TRACE_INT, KT_GET_GID, NULL },
	{ "nsecs", ANY, TRACE_INT, KT_GET_NSECS, NULL },
	{ "elapsed", ANY, TRACE_INT, KT_GET_ELAPSED, NULL },
	{ "cpu", ANY, TRACE_INT, KT_GET_CPU, NULL },
	{ "cgroup", ANY, TRACE_INT, KT_GET_CGROUP, NULL },
	{ "rand", ANY, TRACE_INT, KT_GET_RANDOM, NULL },
	{ "username", ANY, TRACE_USERNAME, KT_GET_UID, NULL },
	{ "comm", ANY, TRACE_STRING, -1, NULL },
	{ "ncpus", ANY, TRACE_INT, OF_NCPUS, NULL },
	{ "usermode", ANY, TRACE_INT, OF_USERMODE, NULL },
	{ "cpid", ANY, TRACE_INT, OF_CPID, NULL },
	{ "has_cpid", ANY, TRACE_BOOL, OF_HAS_CPID, NULL },
	{ "probetype", ANY, TRACE_STRING, OF_PROBETYPE, NULL },
	{ "curtask", ANY | KERNEL, TRACE_POINTER, KT_GET_CURTASK, NULL },
	{ "kstack", ANY | KERNEL, TRACE_KSTACK, -1, NULL },
	{ "ustack", ANY, TRACE_USTACK, -1, NULL },
	{ "func", HIT, TRACE_FUNC, KT_GET_ADDR, NULL },
	{ "probe", ANY, TRACE_PROBE, KT_GET_PROBE, NULL },
	{ "retval", RETURN, TRACE_INT, KT_GET_RETVAL, NULL },
	{ "args", ANY, TRACE_RECORD, OF_ARGS, NULL },
	{ "ctx", 0, TRACE_NONE, -1, "use reg(\"di\") and the like" },
	{ "pcomm", 0, TRACE_NONE, -1, "comm is the thread's name; in the kernel curtask->group_leader->comm is the same" },
	{ "ppid", 0, TRACE_NONE, -1, "in the kernel curtask->real_parent->tgid is the same" },
	{ "numaid", 0, TRACE_NONE, -1, "cpu says which processor it is" },
	{ "jiffies", 0, TRACE_NONE, -1, "use nsecs" },
};

/* arg0, sarg0 */
static const struct builtin numbered = { "arg", ENTRY, TRACE_INT, -1, NULL };
static const struct builtin stacked = { "sarg", ENTRY, TRACE_INT, -1, NULL };

uint32_t builtin_names(const char **names)
{
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(builtins); i++)
		names[i] = builtins[i].name;
	names[i++] = "arg0";
	return i;
}

bool builtin_is(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(builtins); i++)
		if (!strcmp(builtins[i].name, name))
			return true;
	return false;
}

static bool is_numbered(const char *name, const char *prefix, int64_t *number)
{
	size_t len = strlen(prefix);

	if (strncmp(name, prefix, len) || name[len] < '0' || name[len] > '9' ||
	    strspn(name + len, "0123456789") != strlen(name + len))
		return false;
	*number = strlen(name + len) > 3 ? 1000 : atoi(name + len);
	return true;
}

static void check_where(struct check *c, struct expr *e, const struct builtin *b)
{
	if (!b->where)
		front_fail(c->f, e->pos, "%s is not supported: %s", b->name, b->instead);
	if ((b->where & KERNEL) && !c->v->kernel && c->v->kind != VARIANT_BLOCK)
		front_fail(c->f, e->pos, "%s is the kernel's: it is not known in a process%s",
			   b->name, b->get < 0 ? "; use ustack" : "");
	if (b->where & ANY)
		return;
	if (c->v->kind == VARIANT_BLOCK)
		front_fail(c->f, e->pos, "%s is not known in %s: no function runs there",
			   e->name, c->v->attach->a.provider);
	if (c->v->kind == VARIANT_RETURN && !(b->where & RETURN))
		front_fail(c->f, e->pos, "%s is not known any more when a function returns: "
			   "keep it at its entry, as in @x[tid] = %s", e->name, e->name);
	if (c->v->kind == VARIANT_ENTRY && !(b->where & ENTRY))
		front_fail(c->f, e->pos, "%s is known only when a function returns: use "
			   "kretprobe or uretprobe", e->name);
}

/* e->arg is known: what is it? */
static void check_arg(struct check *c, struct expr *e)
{
	const struct trace_arg *arg = e->arg;

	if (arg->kind == TRACE_ARG_NOWHERE)
		front_fail(c->f, e->pos, "%s cannot be had here: %s", e->name,
			   arg->why ? arg->why : "nothing says where it is");
	e->type = type_of_c(c, arg->type, !c->v->kernel || arg->user, e->pos);
}

/* arg0 of a place that says itself where its arguments are. */
static void check_own_arg(struct check *c, struct expr *e)
{
	const struct variant *v = c->v;
	/* A system call's number is before them. */
	uint32_t first = !strcmp(v->attach->a.provider, "syscall");

	if (!v->args)
		front_fail(c->f, e->pos, "what %s is given is not known here%s%s",
			   v->attach->text, v->args_why ? ": " : "",
			   v->args_why ? v->args_why : "");
	if (e->value >= v->args_nr - first)
		front_fail(c->f, e->pos, "%s is given %u arguments, counted from 0",
			   v->attach->text, v->args_nr - first);
	e->arg = &v->args[e->value + first];
	check_arg(c, e);
}

/*
 * A number has its size and sign.  What is not known has a sign, so that errors are
 * negative; so have the kernel's long ones, which are errors even where they are
 * unsigned.
 */
static void check_returned(struct check *c, struct expr *e)
{
	const struct trace_arg *arg = c->v->returned;

	e->type = type_int(c, 8, true);
	if (!arg || (arg->type->kind != CTYPE_INT && arg->type->kind != CTYPE_ENUM))
		return;
	e->type = type_of_c(c, arg->type, !c->v->kernel, e->pos);
	e->type.t.kind = TRACE_INT;
	e->type.t.c = NULL;
	e->type.t.sign |= e->type.t.size == 8 && c->v->kernel;
}

/* In a register, as it is computed with. */
void builtin_gen_returned(struct gen *g, int want)
{
	const struct trace_arg *arg = g->v->returned;
	const struct ctype *type = arg ? arg->type : NULL;
	bool is_known = type && type->size && g->v->kind == VARIANT_RETURN;

	code_put(g, KT_GET, want, 0, 0, is_known || !strstr(g->v->attach->a.provider, "retprobe")
				   ? KT_GET_RETVAL : KT_GET_RETURNED);
	if (is_known && (type->kind == CTYPE_INT || type->kind == CTYPE_ENUM) &&
	    type->size < 8)
		code_put(g, KT_EXT, want, want, code_size((uint32_t)type->size) |
			 (type->sign ? KT_SIGNED : 0), 0);
}

/* Is it a part of args as a whole?  What is in no memory is a number. */
static bool is_whole(struct check *c, const struct trace_arg *arg)
{
	const struct ctype *type = ctype_whole(c->f, arg->type);
	bool memory = arg->kind == TRACE_ARG_CONTEXT || arg->kind == TRACE_ARG_MEMORY ||
		      (arg->kind == TRACE_ARG_REGISTER && arg->deref);

	if (arg->kind == TRACE_ARG_NOWHERE || arg->kind == TRACE_ARG_ELEMENTS ||
	    strchr(arg->name, '['))
		return false;
	switch (type->kind) {
	case CTYPE_INT: case CTYPE_ENUM:
		return type->size == 1 || type->size == 2 || type->size == 4 || type->size == 8;
	case CTYPE_POINTER:
		return true;
	case CTYPE_STRUCT: case CTYPE_ARRAY:
		return memory && type->size && !type->incomplete;
	default:
		return false;
	}
}

/* As a structure, each argument at a multiple of 8; the same one each time. */
static const struct ctype *args_record(struct check *c)
{
	struct variant *v = (struct variant *)c->v;
	struct ctype *record;
	struct cfield *fields;
	uint32_t i, size;

	if (v->args_record)
		return v->args_record;
	record = front_alloc(c->f, sizeof(*record));
	fields = front_alloc(c->f, v->args_nr * sizeof(*fields) + 1);
	v->args_whole = front_alloc(c->f, v->args_nr * sizeof(*v->args_whole) + 1);
	*record = (struct ctype){ .kind = CTYPE_STRUCT, .name = "", .fields = fields };
	for (i = 0; i < v->args_nr; i++) {
		if (!is_whole(c, &v->args[i]))
			continue;
		size = ROUND8((uint32_t)ctype_whole(c->f, v->args[i].type)->size);
		if (ctype_whole(c->f, v->args[i].type)->size > KT_SCRATCH_MAX / 2 ||
		    record->size + size > KT_SCRATCH_MAX / 2)
			continue;
		v->args_whole[record->fields_nr] = &v->args[i];
		fields[record->fields_nr++] = (struct cfield){
			.name = v->args[i].name, .type = v->args[i].type,
			.offset = (uint32_t)record->size,
		};
		record->size += size;
	}
	return v->args_record = record;
}

static noreturn void no_names(struct check *c, const struct expr *e)
{
	const struct variant *v = c->v;

	front_fail(c->f, e->pos, "the arguments' names are not known here%s%s: use arg0, arg1 ...",
		   v->args_why ? ": " : "", v->args_why ? v->args_why : "");
}

static void check_args(struct check *c, struct expr *e)
{
	const struct ctype *record;

	if (!c->v->args)
		no_names(c, e);
	record = args_record(c);
	if (!record->size)
		front_fail(c->f, e->pos, "%s has no arguments that could be shown",
			   c->v->attach->text);
	e->type = type_of(c, TRACE_RECORD, (uint32_t)record->size);
	e->type.t.c = record;
}

static void gen_args(struct gen *g, uint32_t at)
{
	const struct ctype *record = g->v->args_record;
	uint32_t i;

	for (i = 0; i < record->fields_nr; i++) {
		const struct trace_arg *arg = g->v->args_whole[i];
		const struct ctype *type = ctype_whole(g->f, arg->type);
		struct trace_type as = {
			.kind = type->kind == CTYPE_STRUCT || type->kind == CTYPE_ARRAY ?
				TRACE_RECORD : TRACE_INT,
			.size = ROUND8((uint32_t)type->size), .c = type,
		};
		struct expr e = { .kind = E_FIELD, .arg = arg, .name = arg->name };

		e.type.t = as;
		e.type.user = !g->v->kernel || arg->user;
		e.type.t.size = (uint32_t)type->size;
		e.type.t.sign = type->sign;
		if (as.kind == TRACE_RECORD)
			e.type.t.kind = (enum trace_kind)(type->kind == CTYPE_STRUCT ?
							  TYPE_STRUCT : TYPE_ARRAY);
		g->ways->into(g, &e, at + record->fields[i].offset, &as);
	}
}

bool builtin_check(struct check *c, struct expr *e)
{
	const struct builtin *b = NULL;
	const struct ctype *task;
	size_t i;

	e->builtin = NULL;
	for (i = 0; i < ARRAY_SIZE(builtins); i++)
		if (!strcmp(e->name, builtins[i].name))
			b = &builtins[i];
	if (is_numbered(e->name, "arg", &e->value))
		b = &numbered;
	else if (is_numbered(e->name, "sarg", &e->value))
		b = &stacked;
	if (!b)
		return false;
	check_where(c, e, b);
	if ((b == &numbered || b == &stacked) && e->value >= KT_ARGS_MAX)
		front_fail(c->f, e->pos, "arguments are counted from 0 to %d", KT_ARGS_MAX - 1);
	if ((b == &numbered || b == &stacked) &&
	    !strcmp(c->v->attach->a.provider, "profile"))
		front_fail(c->f, e->pos, "a sample has no arguments");
	e->builtin = b;
	if (b->get == OF_ARGS) {
		check_args(c, e);
		return true;
	}
	if (b == &numbered && attach_has_own_args(c->v->attach)) {
		check_own_arg(c, e);
		return true;
	}
	e->type = type_of(c, b->kind, 8);
	if (b->get == KT_GET_RETVAL)
		check_returned(c, e);
	e->type.t.own = b->get == KT_GET_PID;
	if (b->kind == TRACE_STRING)
		e->type.t.size = 16;
	if (b->get == OF_USERMODE)
		e->type.t.size = 1;
	if (b->kind == TRACE_POINTER) {
		task = ctype_named(c->f, "struct task_struct");
		e->type.t.c = task ? ctype_pointer(c->f, task) : NULL;
		e->type.t.kind = task ? TRACE_POINTER : TRACE_INT;
	}
	if (b->kind == TRACE_KSTACK || b->kind == TRACE_USTACK)
		stack_check(c, e, b->kind == TRACE_USTACK);
	return true;
}

void builtin_arg(struct check *c, struct expr *e)
{
	const struct variant *v = c->v;
	const char *names[64], *meant;
	uint32_t i;

	if (!v->args)
		no_names(c, e);
	for (i = 0; i < v->args_nr; i++) {
		if (!strcmp(v->args[i].name, e->name)) {
			e->arg = &v->args[i];
			check_arg(c, e);
			return;
		}
		if (i < ARRAY_SIZE(names))
			names[i] = v->args[i].name;
	}
	meant = front_meant(e->name, names, i < ARRAY_SIZE(names) ? i :
			    ARRAY_SIZE(names));
	if (meant)
		front_fail(c->f, e->pos, "%s has no argument %s: is %s meant?",
			   v->attach->text, e->name, meant);
	front_fail(c->f, e->pos, "%s has no argument %s", v->attach->text, e->name);
}

void builtin_element(struct check *c, struct expr *e)
{
	const struct trace_arg *all = e->a->arg;
	int64_t number = check_want_constant(c, e->b, "the number of an argument");

	if (number < 0 || (uint64_t)number >= all->type->nr)
		front_fail(c->f, e->b->pos, "%s has %llu arguments, counted from 0",
			   c->v->attach->text, (unsigned long long)all->type->nr);
	e->arg = &c->v->args[all->value + number];
	check_arg(c, e);
}

static int gen_known(struct gen *g, const struct builtin *b, int want)
{
	switch (b->get) {
	case OF_NCPUS:
		code_put_number(g, want, sysconf(_SC_NPROCESSORS_CONF));
		break;
	case OF_USERMODE:
		if (!g->v->places || g->v->places->p.kind == TRACE_PLACE_CODE) {
			code_put_number(g, want, !g->v->places || !g->v->places->p.kernel);
			break;
		}
		/* The kernel's addresses are the upper half; of 32 bits, the last quarter. */
		code_put(g, KT_GET, want, 0, 0, KT_GET_IP);
		code_put(g, KT_SHRI, want, want, 0, sizeof(long) == 8 ? 63 : 30);
		code_put(g, sizeof(long) == 8 ? KT_EQI : KT_NEI, want, want, 0,
			 sizeof(long) == 8 ? 0 : 3);
		break;
	case OF_CPID:
		code_put_number(g, want, g->f->env->child);
		break;
	default:
		code_put_number(g, want, g->f->env->child != 0);
	}
	return want;
}

int builtin_gen(struct gen *g, struct expr *e, int want)
{
	const struct builtin *b = e->builtin;

	if (b->kind == TRACE_KSTACK)
		return stack_gen(g, e, want);
	want = code_dest(g, want);
	if (b->get >= KT_GETS)
		return gen_known(g, b, want);
	if (b->get == KT_GET_RETVAL) {
		builtin_gen_returned(g, want);
	} else if (b == &numbered) {
		code_put(g, KT_ARG, want, 0, 0, (int32_t)e->value);
	} else if (b == &stacked) {
		/* At an entry: the return address, then they. */
		code_put(g, KT_GET, want, 0, 0, KT_GET_SP);
		code_put(g, KT_LOAD, want, want, KT_SIZE_8 |
			 (g->v->kernel ? 0 : KT_USER), 8 + 8 * (int32_t)e->value);
	} else if (b->kind == TRACE_PROBE && g->v->places &&
		   g->v->places->p.one_of_many) {
		code_put_number(g, want, call_probe(g));
	} else {
		code_put(g, KT_GET, want, 0, 0, b->get);
	}
	return want;
}

static const char *probetype(const struct variant *v)
{
	bool special = !strcmp(v->attach->a.provider, "BEGIN") ||
		       !strcmp(v->attach->a.provider, "END");

	return special ? "special" : v->attach->a.provider;
}

void builtin_gen_wide(struct gen *g, struct expr *e, uint32_t at)
{
	if (e->builtin->get == OF_ARGS)
		gen_args(g, at);
	else if (e->builtin->kind == TRACE_USTACK)
		stack_wide(g, e, at);
	else if (e->builtin->get == OF_PROBETYPE)
		code_put_bytes(g, at, 16, probetype(g->v), strlen(probetype(g->v)));
	else
		code_put(g, KT_COMM, 0, 0, 0, (int32_t)at);
}
