/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * values.c - functions that return a value: ksym(), ntop(), nsecs() ...
 *
 * Owns: these functions, and the table of their names.
 */
#include "check.h"
#include "kt_regs.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>

/* Of the namespace of processes that the kernel begins with. */
#define INITIAL_PIDS 0xeffffffcu

/* An option that the script asks for. */
struct known_option {
	const struct known_option *next;
	const char *name;
};

static const char *text_of(struct check *c, struct expr *e, const char *what)
{
	if (e->kind != E_STRING || strlen(e->name) != e->len)
		front_fail(c->f, e->pos, "%s is a text in \"\"", what);
	return e->name;
}

/* ---- addresses --------------------------------------------------------- */

static void check_ksym(struct check *c, struct expr *e)
{
	check_address(c, e->args[0]);
	e->type = type_of(c, TRACE_KSYM, 8);
}

static int gen_ksym(struct gen *g, struct expr *e, int want)
{
	return gen_value(g, e->args[0], want);
}

static void check_usym(struct check *c, struct expr *e)
{
	check_address(c, e->args[0]);
	e->type = type_of(c, TRACE_USYM, 16);
}

static void wide_usym(struct gen *g, struct expr *e, uint32_t at)
{
	int temps = g->temps, reg;

	code_put_store(g, gen_value(g, e->args[0], -1), at, 8);
	g->temps = temps;
	reg = code_temp(g);
	code_put(g, KT_GET, reg, 0, 0, KT_GET_PID);
	code_put_store(g, reg, at + 8, 8);
	g->temps = temps;
}

static void check_symbol(struct check *c, struct expr *e)
{
	const char *name = text_of(c, e->args[0], "a symbol's name");
	bool user = e->name[0] == 'u';
	uint64_t addr = 0;

	if (!c->f->env->address ||
	    !c->f->env->address(c->f->env->arg, name, user, &addr))
		front_fail(c->f, e->args[0]->pos, "there is no symbol %s %s", name,
			   user ? "in the process" : "in the kernel");
	e->value = (int64_t)addr;
	e->type = type_int(c, 8, false);
	e->type.user = user;
}

static void check_space(struct check *c, struct expr *e)
{
	check_address(c, e->args[0]);
	e->type = e->args[0]->type;
	e->type.user = e->name[0] == 'u';
}

static void check_reg(struct check *c, struct expr *e)
{
	static const char *const names[] = KT_REG_NAMES;
	const char *name = text_of(c, e->args[0], "a register's name");
	bool again = !strcmp(name, "pc") || !strcmp(name, "ip");
	size_t i;

	if (c->v->kind == VARIANT_BLOCK)
		front_fail(c->f, e->pos, "there are no registers in %s",
			   c->v->attach->a.provider);
	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			break;
	/* Processors have one of the two. */
	if (i == ARRAY_SIZE(names) && again)
		for (i = 0; i < ARRAY_SIZE(names); i++)
			if (!strcmp(names[i], *name == 'p' ? "ip" : "pc"))
				break;
	if (i == ARRAY_SIZE(names))
		front_fail(c->f, e->args[0]->pos, "there is no register %s: " KT_REG_NAMES_SAID
			   " are known", name);
	if (c->v->attach->a.watch && watch_replaces((int)i))
		front_fail(c->f, e->args[0]->pos, "of a watchpoint the register %s is not known",
			   name);
	e->value = (int64_t)i;
	e->type = type_int(c, 8, false);
}

static int gen_reg(struct gen *g, struct expr *e, int want)
{
	want = code_dest(g, want);
	code_put(g, KT_REG, want, 0, 0, (int32_t)e->value);
	return want;
}

/* ---- of the network --------------------------------------------------------- */

static void check_ntop(struct check *c, struct expr *e)
{
	struct expr *address = e->args[e->args_nr - 1];

	if (e->args_nr == 2)
		check_number(c, e->args[0], "the family of an address");
	check_expr(c, address);
	e->type = type_of(c, TRACE_INET, 24);
	if (check_unknown(c, address) || type_is_number(&address->type))
		return;
	if (((int)address->type.t.kind < TYPE_STRUCT && address->type.t.kind != TRACE_RECORD) ||
	    (ctype_whole(c->f, address->type.t.c)->size != 4 &&
	     ctype_whole(c->f, address->type.t.c)->size != 16))
		front_fail(c->f, address->pos, "an address has 4 bytes, as a number, or 4 or "
			   "16 in an array: this is %s", type_name(c->f, &address->type));
}

static void wide_ntop(struct gen *g, struct expr *e, uint32_t at)
{
	struct expr *address = e->args[e->args_nr - 1];
	bool memory = (int)address->type.t.kind >= TYPE_STRUCT;
	bool copied = address->type.t.kind == TRACE_RECORD;
	uint32_t size = memory || copied ?
			(uint32_t)ctype_whole(g->f, address->type.t.c)->size : 4;
	int temps = g->temps, reg;

	code_put_zero(g, at, 24);
	if (e->args_nr == 2) {
		reg = gen_value(g, e->args[0], -1);
	} else {
		reg = code_temp(g);
		code_put_number(g, reg, size == 4 ? AF_INET : AF_INET6);
	}
	code_put_store(g, reg, at, 8);
	g->temps = temps;
	if (copied) {
		gen_wide(g, address, at + 8, &address->type.t);
		return;
	}
	reg = gen_value(g, address, -1);
	if (memory)
		code_put(g, KT_READ, reg, 0, gen_user_flag(address), code_halves(at + 8, size));
	else
		code_put_store(g, reg, at + 8, 4);
	g->temps = temps;
}

/* pton("10.0.0.1"), known before anything runs. */
static void check_pton(struct check *c, struct expr *e)
{
	const char *text = text_of(c, e->args[0], "an address");
	bool six = strchr(text, ':');
	struct ctype *array = front_alloc(c->f, sizeof(*array));
	unsigned char bytes[16];

	*array = (struct ctype){
		.kind = CTYPE_ARRAY, .name = "", .nr = six ? 16 : 4, .size = six ? 16 : 4,
		.to = ctype_int(c->f, "uint8", 1, false),
	};
	if (inet_pton(six ? AF_INET6 : AF_INET, text, bytes) != 1)
		front_fail(c->f, e->args[0]->pos, "%s is no address of IPv4 or IPv6", text);
	e->type = type_of(c, TRACE_RECORD, ROUND8((uint32_t)array->size));
	e->type.t.c = array;
}

static void wide_pton(struct gen *g, struct expr *e, uint32_t at)
{
	uint32_t size = (uint32_t)e->type.t.c->size, i;
	int temps = g->temps, reg = code_temp(g);
	int64_t words[2] = { 0, 0 };

	inet_pton(size == 16 ? AF_INET6 : AF_INET, e->args[0]->name, words);
	for (i = 0; i < (size + 7) / 8; i++) {
		code_put_number(g, reg, words[i]);
		code_put_store(g, reg, at + 8 * i, 8);
	}
	g->temps = temps;
}

static void check_macaddr(struct check *c, struct expr *e)
{
	check_address(c, e->args[0]);
	e->type = type_of(c, TRACE_MAC, 8);
}

static int gen_macaddr(struct gen *g, struct expr *e, int want)
{
	uint32_t scratch = g->scratch, at = code_room(g, 8);
	int temps = g->temps, address = gen_value(g, e->args[0], -1);

	code_put_zero(g, at, 8);
	code_put(g, KT_READ, address, 0, gen_user_flag(e->args[0]), code_halves(at, 6));
	g->temps = temps;
	g->scratch = scratch;
	want = code_dest(g, want);
	code_put(g, KT_LDS, want, 0, KT_SIZE_8, (int32_t)at);
	return want;
}

static void check_strerror(struct check *c, struct expr *e)
{
	check_number(c, e->args[0], "the number of an error");
	e->type = type_of(c, TRACE_ERRNO, 8);
}

static int gen_strerror(struct gen *g, struct expr *e, int want)
{
	return gen_value(g, e->args[0], want);
}

static void check_bswap(struct check *c, struct expr *e)
{
	check_number(c, e->args[0], "what is swapped");
	e->type = type_int(c, e->args[0]->type.t.size, false);
}

/* Byte by byte, from the last one. */
static int gen_bswap(struct gen *g, struct expr *e, int want)
{
	uint32_t size = e->type.t.size ? e->type.t.size : 8, i;
	int temps = g->temps, from, to, byte;

	to = code_temp(g);
	byte = code_temp(g);
	from = gen_value(g, e->args[0], -1);
	code_put(g, KT_ANDI, to, from, 0, 255);
	for (i = 1; i < size; i++) {
		code_put(g, KT_SHRI, byte, from, 0, (int32_t)(8 * i));
		code_put(g, KT_ANDI, byte, byte, 0, 255);
		code_put(g, KT_SHLI, to, to, 0, 8);
		code_put(g, KT_OR, to, to, byte, 0);
	}
	g->temps = temps;
	if (want < 0)
		return code_temp(g);
	code_put(g, KT_MOV, want, to, 0, 0);
	return want;
}

/* ---- others --------------------------------------------------------- */

static void check_strftime(struct check *c, struct expr *e)
{
	const char *format = text_of(c, e->args[0], "the format");

	check_number(c, e->args[1], "a time");
	e->type = type_of(c, TRACE_TIME, 8);
	e->type.t.format = format;
}

static int gen_strftime(struct gen *g, struct expr *e, int want)
{
	return gen_value(g, e->args[1], want);
}

static void check_nsecs(struct check *c, struct expr *e)
{
	static const struct {
		const char *name;
		clockid_t clock;
	} clocks[] = {
		{ "monotonic", CLOCK_MONOTONIC }, { "boot", CLOCK_BOOTTIME },
		{ "tai", CLOCK_TAI }, { "sw_tai", CLOCK_TAI },
	};
	struct timespec base, now;
	size_t i = 0;

	for (; i < ARRAY_SIZE(clocks) && e->args_nr; i++)
		if (e->args[0]->kind == E_NAME && !strcmp(e->args[0]->name, clocks[i].name))
			break;
	if (i == ARRAY_SIZE(clocks))
		front_fail(c->f, e->args[0]->pos, "the clocks are monotonic, boot, tai and sw_tai");
	/* How far it is from the clock that probes read, as the script is compiled. */
	clock_gettime(CLOCK_MONOTONIC, &base);
	clock_gettime(clocks[i].clock, &now);
	if (clocks[i].clock != CLOCK_MONOTONIC && !e->value)
		e->value = (int64_t)(now.tv_sec - base.tv_sec) * 1000000000 +
			   (now.tv_nsec - base.tv_nsec);
	e->type = type_int(c, 8, false);
}

static int gen_nsecs(struct gen *g, struct expr *e, int want)
{
	int temps = g->temps, by;

	want = code_dest(g, want);
	code_put(g, KT_GET, want, 0, 0, KT_GET_NSECS);
	if (e->value) {
		by = code_temp(g);
		code_put_number(g, by, e->value);
		code_put(g, KT_ADD, want, want, by, 0);
		g->temps = want >= temps ? want + 1 : temps;
	}
	return want;
}

static void check_cgroupid(struct check *c, struct expr *e)
{
	const char *path = text_of(c, e->args[0], "a cgroup's folder");
	struct stat status;

	if (stat(path, &status))
		front_fail(c->f, e->args[0]->pos, "there is no cgroup %s", path);
	e->value = (int64_t)status.st_ino;
	e->type = type_int(c, 8, false);
}

static void check_stack(struct check *c, struct expr *e)
{
	bool user = e->name[0] != 'k';

	if (!user && !c->v->kernel && c->v->kind != VARIANT_BLOCK)
		front_fail(c->f, e->pos, "kstack() is not known in a process: use ustack()");
	stack_check(c, e, user);
}

/* ---- how many ---------------------------------------------------------------- */

static void check_len(struct check *c, struct expr *e)
{
	struct expr *what = e->args[0];

	e->type = type_int(c, 8, true);
	if (what->kind == E_MAP && !what->args_nr) {
		check_map_name(c, what);
		return;
	}
	check_value(c, what);
	if (!check_unknown(c, what) && what->type.t.kind != TRACE_KSTACK &&
	    what->type.t.kind != TRACE_USTACK)
		front_fail(c->f, what->pos, "len() counts the keys of a map or the frames of a "
			   "stack, not %s", type_name(c->f, &what->type));
}

/* Each key is counted once, in how many shards it may be. */
static int gen_keys(struct gen *g, struct expr *e, int want)
{
	const struct map *m = e->args[0]->map;
	uint32_t scratch = g->scratch, key = code_room(g, m->key_len ? m->key_len : 8), begin;
	int temps = g->temps, nr = code_temp(g), place = code_temp(g);
	struct jumps *end = NULL;

	code_put(g, KT_MOVI, nr, 0, 0, 0);
	code_put(g, KT_MOVI, place, 0, 0, 0);
	begin = g->f->code.nr;
	code_put(g, KT_MNEXT, place, (int)m->number, 0, code_halves(key, 0));
	code_jump(g, &end, KT_JZ, place);
	code_put(g, KT_ADDI, nr, nr, 0, 1);
	code_jump_back(g, KT_JMP, 0, begin);
	code_jumps_here(g, end);
	g->scratch = scratch;
	g->temps = temps;
	if (want < 0)
		return code_temp(g);
	code_put(g, KT_MOV, want, nr, 0, 0);
	return want;
}

static int gen_len(struct gen *g, struct expr *e, int want)
{
	struct expr *what = e->args[0];
	uint32_t scratch = g->scratch, at;

	if (what->kind == E_MAP && !what->args_nr && what->map && what->map->has_keys &&
	    what->type.t.kind != TRACE_KSTACK && what->type.t.kind != TRACE_USTACK)
		return gen_keys(g, e, want);
	if (what->type.t.kind == TRACE_USTACK) {
		at = gen_wide_place(g, what);
		g->scratch = scratch;
		want = code_dest(g, want);
		code_put(g, KT_LDS, want, 0, KT_SIZE_4, (int32_t)at);
	} else {
		want = gen_value(g, what, code_dest(g, want));
	}
	code_put(g, KT_FRAMES, want, want, 0, 0);
	return want;
}

/* ---- what something is, for macros -------------------------------------------- */

static void check_is(struct check *c, struct expr *e)
{
	struct expr *what = e->args[0];
	const struct type *t = &what->type;

	check_expr(c, what);
	if (check_unknown(c, what))
		return;
	e->type = type_of(c, TRACE_BOOL, 8);
	if (!strcmp(e->name, "is_literal"))
		e->value = what->kind == E_INT || what->kind == E_STRING ||
			   (what->kind == E_NAME && t->t.kind == TRACE_BOOL && !what->builtin);
	else if (!strcmp(e->name, "is_ptr"))
		e->value = t->t.kind == TRACE_POINTER;
	else if (!strcmp(e->name, "is_array"))
		e->value = ((int)t->t.kind == TYPE_ARRAY && !type_is_text(t)) ||
			   (t->t.kind == TRACE_RECORD && t->t.c->kind == CTYPE_ARRAY);
	else if (!strcmp(e->name, "is_integer"))
		e->value = t->t.kind == TRACE_INT || t->t.kind == TRACE_ENUM;
	else if (!strcmp(e->name, "is_unsigned_integer"))
		e->value = t->t.kind == TRACE_INT && !t->t.sign;
	else
		e->value = t->t.kind == TRACE_STRING || type_is_text(t);
	if (!strcmp(e->name, "assert_str") && !e->value)
		front_fail(c->f, what->pos, "this is %s, and no string", type_name(c->f, t));
}

/* None of BPF's functions is to be had. */
static void check_kfunc(struct check *c, struct expr *e)
{
	text_of(c, e->args[0], "a function's name");
	e->value = 0;
	e->type = type_of(c, TRACE_BOOL, 8);
}

/* pid(curr_ns); pid(init) is the same where it is not in a namespace of its own. */
static void check_number_in(struct check *c, struct expr *e)
{
	const char *space = e->args[0]->kind == E_NAME ? e->args[0]->name : "";
	struct stat status;

	if (strcmp(space, "curr_ns") && strcmp(space, "init"))
		front_fail(c->f, e->args[0]->pos, "curr_ns or init is expected here");
	if (*space == 'i' && (stat("/proc/self/ns/pid", &status) ||
			      status.st_ino != INITIAL_PIDS))
		front_fail(c->f, e->args[0]->pos, "numbers of the first namespace are not known in "
			   "another one: use %s", e->name);
	e->type = type_int(c, 8, false);
	e->type.t.own = *e->name == 'p';
}

static int gen_number_in(struct gen *g, struct expr *e, int want)
{
	want = code_dest(g, want);
	code_put(g, KT_GET, want, 0, 0, *e->name == 'p' ? KT_GET_PID : KT_GET_TID);
	return want;
}

/* ---- options of the script ---------------------------------------------------- */

/* The value of --NAME; "": it has none; NULL: the option was not given. */
static const char *option(const struct front *f, const char *name)
{
	size_t len = strlen(name);
	int i;

	for (i = 0; i < f->env->options_nr; i++) {
		const char *text = f->env->options[i];

		if (!strncmp(text, name, len) && (!text[len] || text[len] == '='))
			return text[len] ? text + len + 1 : "";
	}
	return NULL;
}

static void take_option(struct check *c, struct expr *e, const char *given, bool bare)
{
	struct expr *otherwise = e->args_nr > 1 ? e->args[1] : NULL;
	const char *name = e->args[0]->name;
	char *end;

	if (otherwise && otherwise->kind == E_STRING) {
		*e = (struct expr){ .kind = E_STRING, .pos = e->pos,
				    .name = given ? given : otherwise->name };
		e->len = given ? strlen(given) : otherwise->len;
		return;
	}
	if (otherwise && otherwise->type.t.kind != TRACE_BOOL) {
		*e = (struct expr){ .kind = E_INT, .pos = e->pos,
				    .value = check_want_constant(c, otherwise, "the value of an option") };
		if (!given)
			return;
		e->value = strtoll(given, &end, 0);
		if (bare || *end)
			front_fail(c->f, e->pos, "--%s is a number, as in --%s=1", name, name);
		return;
	}
	*e = (struct expr){ .kind = E_NAME, .pos = e->pos, .name = "false" };
	if (given ? bare || !strcmp(given, "true") || !strcmp(given, "1") :
	    otherwise && otherwise->value)
		e->name = "true";
	else if (given && strcmp(given, "false") && strcmp(given, "0"))
		front_fail(c->f, e->pos, "--%s is true or false", name);
}

/* getopt("name", what it is otherwise, "what it is for") */
static void check_getopt(struct check *c, struct expr *e)
{
	const char *name = text_of(c, e->args[0], "an option's name"), *given;
	struct known_option *known;

	if (e->args_nr > 1)
		check_expr(c, e->args[1]);
	if (e->args_nr > 1 && check_unknown(c, e->args[1]))
		return;
	known = front_alloc(c->f, sizeof(*known));
	*known = (struct known_option){ c->f->options, name };
	c->f->options = known;
	given = option(c->f, name);
	take_option(c, e, given, given && !*given);
	check_expr(c, e);
}

void call_check_options(struct front *f)
{
	const struct known_option *known;
	size_t len;
	int i;

	for (i = 0; i < f->env->options_nr; i++) {
		len = strcspn(f->env->options[i], "=");
		for (known = f->options; known; known = known->next)
			if (strlen(known->name) == len &&
			    !memcmp(known->name, f->env->options[i], len))
				break;
		if (!known)
			front_fail(f, (struct pos){ 0, 0 }, "the script has no option --%.*s: it "
				   "asks for none by getopt(\"%.*s\")", (int)len,
				   f->env->options[i], (int)len, f->env->options[i]);
	}
}

/* ---- names of numbers ------------------------------------------------------------ */

static void check_named(struct check *c, struct expr *e)
{
	check_number(c, e->args[0], "the number of what is named");
	e->type = type_of(c, *e->name == 's' && e->name[1] == 'y' ? TRACE_SYSCALL : TRACE_SIGNAL_NAME,
			  8);
}

const struct call calls_value[] = {
	{ .name = "is_array", .least = 1, .most = 1, .check = check_is, .gen = code_known,
	  .known = true },
	{ .name = "is_integer", .least = 1, .most = 1, .check = check_is, .gen = code_known,
	  .known = true },
	{ .name = "is_unsigned_integer", .least = 1, .most = 1, .check = check_is,
	  .gen = code_known, .known = true },
	{ .name = "is_literal", .least = 1, .most = 1, .check = check_is, .gen = code_known,
	  .known = true },
	{ .name = "is_ptr", .least = 1, .most = 1, .check = check_is, .gen = code_known,
	  .known = true },
	{ .name = "is_str", .least = 1, .most = 1, .check = check_is, .gen = code_known,
	  .known = true },
	{ .name = "assert_str", .least = 1, .most = 1, .check = check_is, .gen = code_known,
	  .known = true },
	{ .name = "kfunc_exist", .least = 1, .most = 1, .check = check_kfunc,
	  .gen = code_known, .known = true },
	{ .name = "kfunc_allowed", .least = 1, .most = 1, .check = check_kfunc,
	  .gen = code_known, .known = true },
	{ .name = "pid", .least = 1, .most = 1, .check = check_number_in,
	  .gen = gen_number_in },
	{ .name = "tid", .least = 1, .most = 1, .check = check_number_in,
	  .gen = gen_number_in },
	{ .name = "getopt", .least = 1, .most = 3, .check = check_getopt },
	{ .name = "syscall_name", .least = 1, .most = 1, .check = check_named,
	  .gen = gen_strerror },
	{ .name = "signal_name", .least = 1, .most = 1, .check = check_named,
	  .gen = gen_strerror },
	{ .name = "pton", .least = 1, .most = 1, .check = check_pton,
	  .wide = wide_pton },
	{ .name = "len", .least = 1, .most = 1, .check = check_len,
	  .gen = gen_len },
	{ .name = "ksym", .least = 1, .most = 1, .check = check_ksym,
	  .gen = gen_ksym },
	{ .name = "usym", .least = 1, .most = 1, .check = check_usym,
	  .wide = wide_usym },
	{ .name = "kaddr", .least = 1, .most = 1, .check = check_symbol,
	  .gen = code_known },
	{ .name = "uaddr", .least = 1, .most = 1, .check = check_symbol,
	  .gen = code_known },
	{ .name = "uptr", .least = 1, .most = 1, .check = check_space,
	  .gen = gen_ksym },
	{ .name = "kptr", .least = 1, .most = 1, .check = check_space,
	  .gen = gen_ksym },
	{ .name = "reg", .least = 1, .most = 1, .check = check_reg,
	  .gen = gen_reg },
	{ .name = "ntop", .least = 1, .most = 2, .check = check_ntop,
	  .wide = wide_ntop },
	{ .name = "macaddr", .least = 1, .most = 1, .check = check_macaddr,
	  .gen = gen_macaddr },
	{ .name = "strerror", .least = 1, .most = 1, .check = check_strerror,
	  .gen = gen_strerror },
	{ .name = "bswap", .least = 1, .most = 1, .check = check_bswap,
	  .gen = gen_bswap },
	{ .name = "strftime", .least = 2, .most = 2, .check = check_strftime,
	  .gen = gen_strftime },
	{ .name = "nsecs", .least = 0, .most = 1, .check = check_nsecs,
	  .gen = gen_nsecs },
	{ .name = "cgroupid", .least = 1, .most = 1, .check = check_cgroupid,
	  .gen = code_known },
	{ .name = "kstack", .least = 0, .most = 2, .check = check_stack,
	  .gen = stack_gen },
	{ .name = "dw_ustack", .least = 0, .most = 2, .check = check_stack,
	  .wide = stack_wide },
	{ .name = "ustack", .least = 0, .most = 2, .check = check_stack,
	  .wide = stack_wide },
	{ .name = NULL },
};
