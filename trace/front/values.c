/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * values.c - functions that return a value: str(), ksym(), ntop() ...
 *
 * Owns: these functions, and the table of their names.
 */
#include "check.h"
#include "kt_regs.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

static const char *text_of(struct check *c, struct expr *e, const char *what)
{
	if (e->kind != E_STRING || strlen(e->name) != e->len)
		front_fail(c->f, e->pos, "%s is a text in \"\"", what);
	return e->name;
}

/* A number, or what is in memory and has an address. */
static void check_address(struct check *c, struct expr *e)
{
	check_expr(c, e);
	if (check_unknown(c, e) || (int)e->type.t.kind >= TYPE_STRUCT)
		return;
	if (!type_is_number(&e->type))
		front_fail(c->f, e->pos, "an address is expected, not %s",
			   type_name(c->f, &e->type));
}

static int user_code(const struct expr *e)
{
	return e->type.user ? KT_USER : 0;
}

/* ---- strings and buffers --------------------------------------------------------- */

static bool is_param(const struct expr *e)
{
	return e->kind == E_INT && e->name;
}

static void check_str(struct check *c, struct expr *e)
{
	uint32_t most = c->f->env->strlen_max;
	int64_t n;

	if (is_param(e->args[0])) {
		e->type = type_string(c, e->args[0]->len + 1);
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

static void wide_str(struct gen *g, struct expr *e, uint32_t at)
{
	int temps = g->temps, address, most;

	if (is_param(e->args[0])) {
		code_put_bytes(g, at, e->type.t.size, e->args[0]->name, e->args[0]->len);
		return;
	}
	address = gen_value(g, e->args[0], -1);
	if (e->args_nr == 2) {
		most = gen_value(g, e->args[1], -1);
	} else {
		most = code_temp(g);
		code_put_number(g, most, e->type.t.size - 1);
	}
	code_put(g, KT_STR, address, most, user_code(e->args[0]),
		 code_halves(at, e->type.t.size));
	g->temps = temps;
}

static void check_buf(struct check *c, struct expr *e)
{
	int64_t n = c->f->env->strlen_max;
	uint64_t most = KT_SCRATCH_MAX - 8;

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
	int temps = g->temps, address = gen_value(g, e->args[0], -1), most;

	if (e->args_nr == 2) {
		most = gen_value(g, e->args[1], -1);
	} else {
		most = code_temp(g);
		code_put_number(g, most, e->value);
	}
	code_put(g, KT_BUF, address, most, user_code(e->args[0]),
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

static int gen_known(struct gen *g, struct expr *e, int want)
{
	want = code_dest(g, want);
	code_put_number(g, want, e->value);
	return want;
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
		code_put(g, KT_READ, reg, 0, user_code(address), code_halves(at + 8, size));
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
	code_put(g, KT_READ, address, 0, user_code(e->args[0]), code_halves(at, 6));
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
	if (e->args[0]->kind != E_NAME || strcmp(e->args[0]->name, "monotonic"))
		front_fail(c->f, e->args[0]->pos, "the only clock is nsecs(monotonic)");
	e->type = type_int(c, 8, false);
}

static int gen_nsecs(struct gen *g, struct expr *e, int want)
{
	(void)e;
	want = code_dest(g, want);
	code_put(g, KT_GET, want, 0, 0, KT_GET_NSECS);
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

	if (c->v->kind == VARIANT_BLOCK || (!user && !c->v->kernel))
		front_fail(c->f, e->pos, "%s() is not known here: %s", e->name,
			   user ? "no function runs" : "use ustack() in a process");
	stack_check(c, e, user);
}

const struct call calls_value[] = {
	{ .name = "str", .least = 1, .most = 2, .check = check_str,
	  .wide = wide_str },
	{ .name = "buf", .least = 1, .most = 2, .check = check_buf,
	  .wide = wide_buf },
	{ .name = "strncmp", .least = 3, .most = 3, .check = check_strncmp,
	  .gen = gen_strncmp },
	{ .name = "ksym", .least = 1, .most = 1, .check = check_ksym,
	  .gen = gen_ksym },
	{ .name = "usym", .least = 1, .most = 1, .check = check_usym,
	  .wide = wide_usym },
	{ .name = "kaddr", .least = 1, .most = 1, .check = check_symbol,
	  .gen = gen_known },
	{ .name = "uaddr", .least = 1, .most = 1, .check = check_symbol,
	  .gen = gen_known },
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
	  .gen = gen_known },
	{ .name = "kstack", .least = 0, .most = 2, .check = check_stack,
	  .gen = stack_gen },
	{ .name = "ustack", .least = 0, .most = 2, .check = check_stack,
	  .wide = stack_wide },
	{ .name = NULL },
};
