/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * env.c - a world for scripts under test.
 *
 * Owns: the functions that exist, the structures, and a test's parameters.
 */
#include "env.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#define LEN(a) (sizeof(a) / sizeof((a)[0]))

static const char *const functions[] = {
	"vfs_read", "vfs_write", "vfs_open", "tcp_connect", "main", "malloc", "free",
};

/* ---- types ---------------------------------------------------------------------- */

#define INT(n, s, g) { .kind = CTYPE_INT, .name = n, .size = s, .sign = g }

static const struct ctype c_char = INT("char", 1, true), c_u8 = INT("u8", 1, false),
	c_u16 = INT("unsigned short", 2, false), c_int = INT("int", 4, true),
	c_uint = INT("unsigned int", 4, false), c_long = INT("long", 8, true),
	c_u64 = INT("u64", 8, false);
static const struct ctype c_float = INT("long double", 16, true);
static const struct ctype p_char = { .kind = CTYPE_POINTER, .name = "", .size = 8,
				     .to = &c_char };
static const struct ctype pp_char = { .kind = CTYPE_POINTER, .name = "", .size = 8,
				      .to = &p_char };
static const struct ctype a_comm = { .kind = CTYPE_ARRAY, .name = "", .size = 16,
				     .to = &c_char, .nr = 16 };
static const struct ctype a_v6 = { .kind = CTYPE_ARRAY, .name = "", .size = 16,
				   .to = &c_u8, .nr = 16 };
static const struct ctype a_int = { .kind = CTYPE_ARRAY, .name = "", .size = 12,
				    .to = &c_int, .nr = 3 };
static const struct ctype s_task;
static const struct ctype s_task_named = { .kind = CTYPE_STRUCT,
					   .name = "struct task_struct",
					   .incomplete = true };
static const struct ctype p_task = { .kind = CTYPE_POINTER, .name = "", .size = 8,
				     .to = &s_task_named };
static const struct cfield in_fields[] = {
	{ "tv_sec", &c_long, 0, 0, 0 }, { "tv_nsec", &c_long, 8, 0, 0 },
};
static const struct ctype s_in = { .kind = CTYPE_STRUCT, .name = "struct timespec",
				   .size = 16, .fields = in_fields,
				   .fields_nr = LEN(in_fields) };
static const struct ctype p_in = { .kind = CTYPE_POINTER, .name = "", .size = 8,
				   .to = &s_in };
static const struct cfield color_names[] = {
	{ "RED", NULL, 0, 0, 0 }, { "GREEN", NULL, 0, 0, 0 },
};
static const int64_t color_values[] = { 0, 1 };
static const struct ctype e_color = { .kind = CTYPE_ENUM, .name = "enum color",
				      .size = 4, .fields = color_names,
				      .fields_nr = 2, .values = color_values };
static const struct cfield anon_fields[] = {
	{ "inner_a", &c_int, 0, 0, 0 }, { "inner_b", &c_u16, 4, 0, 0 },
};
static const struct ctype s_anon = { .kind = CTYPE_STRUCT, .name = "", .size = 8,
				     .fields = anon_fields,
				     .fields_nr = LEN(anon_fields) };
static const struct cfield task_fields[] = {
	{ "pid", &c_int, 0, 0, 0 }, { "flags", &c_uint, 4, 0, 0 },
	{ "real_parent", &p_task, 8, 0, 0 }, { "comm", &a_comm, 16, 0, 0 },
	{ "port", &c_u16, 32, 0, 0 }, { "v6", &a_v6, 40, 0, 0 },
	{ "bits3", &c_uint, 56, 2, 3 }, { "sbits", &c_int, 56, 5, 4 },
	{ "wide", &c_u64, 64, 0, 0 }, { "name", &p_char, 72, 0, 0 },
	{ "time", &s_in, 80, 0, 0 }, { "nrs", &a_int, 96, 0, 0 },
	{ "color", &e_color, 108, 0, 0 }, { "", &s_anon, 112, 0, 0 },
	{ "ld", &c_float, 128, 0, 0 },
};
static const struct ctype s_task = { .kind = CTYPE_STRUCT,
				     .name = "struct task_struct", .size = 144,
				     .fields = task_fields,
				     .fields_nr = LEN(task_fields) };

static const struct ctype *type(void *arg, const char *name)
{
	static const struct ctype *const all[] = { &s_task, &s_in, &e_color, &c_long };
	size_t i;

	(void)arg;
	for (i = 0; i < LEN(all); i++)
		if (!strcmp(all[i]->name, name))
			return all[i];
	return NULL;
}

static bool constant(void *arg, const char *name, int64_t *value, const struct ctype **type)
{
	(void)arg;
	*type = !strcmp(name, "GREEN") ? &e_color : NULL;
	*value = !strcmp(name, "GREEN") ? 1 : !strcmp(name, "AF_INET") ? 2 : 10;
	return !strcmp(name, "GREEN") || !strcmp(name, "AF_INET") ||
	       !strcmp(name, "AF_INET6");
}

static bool address(void *arg, const char *name, bool user, uint64_t *addr)
{
	(void)arg;
	*addr = user ? 0x401000 : 0xffffffff81000000;
	return !strcmp(name, "avenrun") || !strcmp(name, "main");
}

/* ---- places and arguments --------------------------------------------------------- */

static bool in_kernel(const struct trace_attach *attach)
{
	return attach->provider[0] == 'k' || attach->provider[0] == 't';
}

static void emit_function(const struct trace_attach *attach, const char *function,
			  void (*emit)(void *to, const struct trace_place *place),
			  void *to)
{
	char name[128];

	snprintf(name, sizeof(name), "%s:%s", attach->provider, function);
	emit(to, &(struct trace_place){ .symbol = function, .name = name,
					.offset = (uint32_t)attach->offset,
					.function = function,
					.kernel = in_kernel(attach) });
}

/* Of a system call at an instruction that makes several. */
static const struct trace_arg number = {
	.kind = TRACE_ARG_REGISTER, .value = 10,
};

static int places(void *arg, const struct trace_attach *attach,
		  void (*emit)(void *to, const struct trace_place *place), void *to,
		  const char **why)
{
	const char *pattern = attach->provider[0] == 't' ? attach->third :
			      attach->function;
	char name[128];
	size_t i, nr = 0;

	(void)arg;
	if (!strcmp(attach->provider, "profile") || !strcmp(attach->function, "sched")) {
		snprintf(name, sizeof(name), "%s:%s:%s", attach->provider,
			 attach->nsecs ? attach->target : attach->function,
			 attach->nsecs ? attach->function : attach->third);
		emit(to, &(struct trace_place){
				.addr = attach->nsecs ? attach->nsecs : 317, .name = name,
				.kernel = true, .function = attach->third,
				.kind = attach->nsecs ? TRACE_PLACE_SAMPLE : TRACE_PLACE_EVENT });
		return 0;
	}
	if (!strcmp(attach->function, "several")) {
		snprintf(name, sizeof(name), "%s:several", attach->provider);
		emit(to, &(struct trace_place){
				.addr = 0x1002, .name = name,
				.function = "several", .one_of_many = true,
				.behind = !strcmp(attach->provider, "sysret"),
				.after = strcmp(attach->provider, "sysret") ? 0 : 0x1000,
				.number = &number, .only = 257 });
		return 0;
	}
	if (attach->provider[0] == 't' || attach->provider[0] == 's') {
		snprintf(name, sizeof(name), "%s:%s%s%s", attach->provider,
			 attach->function, attach->third[0] ? ":" : "",
			 attach->third);
		emit(to, &(struct trace_place){ .symbol = pattern, .name = name,
						.function = pattern,
						.kernel = in_kernel(attach) });
		return 0;
	}
	/* All that is asked for by its name is there. */
	if (attach->watch ||
	    (!strpbrk(pattern, "*?[") && strncmp(pattern, "missing", 7))) {
		emit_function(attach, pattern, emit, to);
		return 0;
	}
	for (i = 0; i < LEN(functions); i++) {
		if (fnmatch(pattern, functions[i], 0))
			continue;
		emit_function(attach, functions[i], emit, to);
		nr++;
	}
	*why = "there is no such function";
	return nr ? 0 : -ENOENT;
}

static const struct trace_arg *args(void *arg, const struct trace_attach *attach,
				    bool returns, uint32_t *nr, const char **why)
{
	static const struct trace_arg entry[] = {
		{ .name = "task", .type = &p_task, .kind = TRACE_ARG_NUMBER },
		{ .name = "count", .type = &c_uint, .kind = TRACE_ARG_REGISTER,
		  .value = 13 },
		{ .name = "local", .type = &c_int, .kind = TRACE_ARG_REGISTER,
		  .value = 4, .offset = -16, .deref = true },
		{ .name = "seven", .type = &c_int, .kind = TRACE_ARG_CONSTANT,
		  .value = 7 },
		{ .name = "gone", .type = &c_int, .kind = TRACE_ARG_NOWHERE,
		  .why = "it is optimized out" },
	};
	static const struct trace_arg enter[] = {
		{ .name = "filename", .type = &p_char, .kind = TRACE_ARG_CONTEXT,
		  .value = 0, .offset = 104, .user = true },
		{ .name = "argv", .type = &pp_char, .kind = TRACE_ARG_CONTEXT,
		  .value = 0, .offset = 96, .user = true },
		{ .name = "rqtp", .type = &p_in, .kind = TRACE_ARG_CONTEXT,
		  .value = 0, .offset = 88, .user = true },
	};
	static const struct trace_arg raw[] = {
		{ .name = "id", .type = &c_long, .kind = TRACE_ARG_REGISTER,
		  .value = 10 },
		{ .name = "args", .type = &a_int, .kind = TRACE_ARG_ELEMENTS,
		  .value = 2 },
		{ .name = "args[0]", .type = &c_int, .kind = TRACE_ARG_REGISTER,
		  .value = 14 },
		{ .name = "args[1]", .type = &c_int, .kind = TRACE_ARG_REGISTER,
		  .value = 13 },
		{ .name = "args[2]", .type = &c_int, .kind = TRACE_ARG_CONTEXT,
		  .value = 0, .offset = 96 },
	};
	static const struct trace_arg event[] = {
		{ .name = "comm", .type = &a_comm, .kind = TRACE_ARG_CONTEXT, .offset = 8 },
		{ .name = "file", .type = &p_char, .kind = TRACE_ARG_LOCATED, .offset = 24 },
	};
	static const struct trace_arg leave[] = {
		{ .name = "ret", .type = &c_long, .kind = TRACE_ARG_RETURN },
	};

	(void)arg;
	if (!strcmp(attach->function, "sched")) {
		*nr = LEN(event);
		return event;
	}
	if (!strcmp(attach->function, "raw_syscalls") && !returns) {
		*nr = LEN(raw);
		return raw;
	}
	*nr = returns ? LEN(leave) : attach->provider[0] == 't' ? LEN(enter) :
	      LEN(entry);
	if (returns && attach->provider[0] != 't') {
		*why = "arguments are gone when a function returns";
		return NULL;
	}
	return returns ? leave : attach->provider[0] == 't' ? enter : entry;
}

static char *const params[] = { "42", "word" };

const struct trace_env test_env = {
	.params = params, .params_nr = 2, .strlen_max = 64, .keys_max = 4096,
	.shards = 2, .places = places, .type = type, .args = args,
	.constant = constant, .address = address,
};
