/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * values.c - functions that return a value: ksym(), ntop(), nsecs() ...
 *
 * Owns: these functions, and the table of their names.
 */
#include "check.h"
#include "kt_regs.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>

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
	size_t i;

	if (c->v->kind == VARIANT_BLOCK)
		front_fail(c->f, e->pos, "there are no registers in %s",
			   c->v->attach->a.provider);
	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
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
	if ((int)address->type.t.kind < TYPE_STRUCT ||
	    (ctype_whole(c->f, address->type.t.c)->size != 4 &&
	     ctype_whole(c->f, address->type.t.c)->size != 16))
		front_fail(c->f, address->pos, "an address has 4 bytes, as a number, or 4 or "
			   "16 in an array: this is %s", type_name(c->f, &address->type));
}

static void wide_ntop(struct gen *g, struct expr *e, uint32_t at)
{
	struct expr *address = e->args[e->args_nr - 1];
	bool memory = (int)address->type.t.kind >= TYPE_STRUCT;
	uint32_t size = memory ?
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
	reg = gen_value(g, address, -1);
	if (memory)
		code_put(g, KT_READ, reg, 0, gen_user_flag(address), code_halves(at + 8, size));
	else
		code_put_store(g, reg, at + 8, 4);
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
	size_t i;

	for (i = 0; i < ARRAY_SIZE(clocks); i++)
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
	bool user = e->name[0] == 'u';

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

const struct call calls_value[] = {
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
	{ .name = "nsecs", .least = 1, .most = 1, .check = check_nsecs,
	  .gen = gen_nsecs },
	{ .name = "cgroupid", .least = 1, .most = 1, .check = check_cgroupid,
	  .gen = code_known },
	{ .name = "kstack", .least = 0, .most = 2, .check = check_stack,
	  .gen = stack_gen },
	{ .name = "ustack", .least = 0, .most = 2, .check = check_stack,
	  .wide = stack_wide },
	{ .name = NULL },
};
