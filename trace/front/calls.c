/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * calls.c - the functions of the language, and the aggregations of maps.
 *
 * Owns: the functions that are refused, and their alternatives.
 */
#include "check.h"

#include <string.h>

static const struct call aggregates[] = {
	{ .name = "count", .kind = KT_MAP_COUNT },
	{ .name = "sum", .least = 1, .most = 1, .kind = KT_MAP_SUM },
	{ .name = "min", .least = 1, .most = 1, .kind = KT_MAP_MIN },
	{ .name = "max", .least = 1, .most = 1, .kind = KT_MAP_MAX },
	{ .name = "avg", .least = 1, .most = 1, .kind = KT_MAP_AVG },
	{ .name = "stats", .least = 1, .most = 1, .kind = KT_MAP_STATS },
	{ .name = "hist", .least = 1, .most = 2, .kind = KT_MAP_HIST },
	{ .name = "lhist", .least = 4, .most = 4, .kind = KT_MAP_LHIST },
	{ .name = "tseries", .least = 3, .most = 4, .kind = KT_MAP_SERIES },
};

static const struct {
	const char *name, *instead;
} refused[] = {
	{ "signal", "a probe sends no signals: print pid and use kill(1)" },
	{ "path", "it needs BPF: read the structure's fields, as in "
	  "str(file->f_path.dentry->d_name.name)" },
	{ "cgroup_path", "print cgroup, and look for it in /sys/fs/cgroup" },
	{ "skboutput", "it needs BPF: print fields of the packet" },
	{ "signal_thread", "a probe sends no signals: print tid and use kill(1)" },
	{ "socket_cookie", "it needs BPF: use the socket's address as the key" },
	{ "percpu_kaddr", "it needs BPF: read the variable through a pointer that the kernel "
	  "itself has" },
	{ "write_user", "a probe writes no memory of its subject" },
	{ "debugf", "use printf(): there is no trace_pipe here" },
};

static bool is_aggregate(const struct call *call)
{
	return call >= aggregates && call < aggregates + ARRAY_SIZE(aggregates);
}

static const struct call *find_in(const struct call *calls, const char *name)
{
	for (; calls->name; calls++)
		if (!strcmp(calls->name, name))
			return calls;
	return NULL;
}

static const struct call *find(const char *name)
{
	const struct call *call = find_in(calls_output, name);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(aggregates); i++)
		if (!strcmp(aggregates[i].name, name))
			return &aggregates[i];
	call = call ? call : find_in(calls_string, name);
	return call ? call : find_in(calls_value, name);
}

static noreturn void unknown(struct check *c, struct expr *e)
{
	const char *names[128], *meant;
	const struct call *call;
	struct pos pos = e->pos;
	uint32_t nr = 0;
	size_t i;

	pos.len = (uint32_t)strlen(e->name);
	for (i = 0; i < ARRAY_SIZE(refused); i++)
		if (!strcmp(e->name, refused[i].name))
			front_fail(c->f, pos, "%s() is not supported: %s", e->name,
				   refused[i].instead);
	for (i = 0; i < ARRAY_SIZE(aggregates); i++)
		names[nr++] = aggregates[i].name;
	for (call = calls_output; call->name; call++)
		names[nr++] = call->name;
	for (call = calls_value; call->name; call++)
		names[nr++] = call->name;
	for (call = calls_string; call->name; call++)
		names[nr++] = call->name;
	meant = front_meant(e->name, names, nr);
	if (meant)
		front_fail(c->f, pos, "there is no function %s(): is %s() meant?", e->name,
			   meant);
	front_fail(c->f, pos, "there is no function %s()", e->name);
}

static void check_nr(struct check *c, struct expr *e, const struct call *call)
{
	if ((int)e->args_nr >= call->least && (int)e->args_nr <= call->most)
		return;
	if (call->least == call->most)
		front_fail(c->f, e->pos, "%s() takes %d argument%s, not %u", e->name,
			   call->least, call->least == 1 ? "" : "s", e->args_nr);
	front_fail(c->f, e->pos, "%s() takes %d to %d arguments, not %u", e->name,
		   call->least, call->most, e->args_nr);
}

void call_check(struct check *c, struct expr *e)
{
	e->call = find(e->name);
	/* pid(init) */
	if (e->call && e->call->least && !e->args_nr && builtin_is(e->name))
		e->call = NULL;
	/* pid() is pid. */
	if (!e->call && !e->args_nr && builtin_check(c, e)) {
		e->kind = E_NAME;
		return;
	}
	if (!e->call && builtin_is(e->name))
		front_fail(c->f, e->pos, "%s takes no arguments here: it is what holds at the hit", e->name);
	if (!e->call)
		unknown(c, e);
	if (is_aggregate(e->call))
		front_fail(c->f, e->pos, "%s() belongs to a map: @ = %s(...)", e->name,
			   e->name);
	check_nr(c, e, e->call);
	e->call->check(c, e);
}

bool call_takes_nothing(const char *name)
{
	const struct call *call = find(name);

	return call && !call->least && !is_aggregate(call);
}

bool call_is_output(const struct expr *e)
{
	return e->kind == E_CALL && e->type.t.kind == TRACE_NONE &&
	       find_in(calls_output, e->name);
}

/* ---- what a map counts by --------------------------------------------------------- */

const struct call *call_aggregate(const struct expr *e)
{
	const struct call *call = e->kind == E_CALL ? find(e->name) : NULL;

	return call && is_aggregate(call) ? call : NULL;
}

/* The same of a map everywhere. */
static void set_shape(struct check *c, struct expr *e, struct map *m, int64_t min, int64_t max,
		      int64_t step)
{
	if (m->has_shape && (m->min != min || m->max != max || m->step != step))
		front_fail(c->f, e->pos, "%s has other %s elsewhere", m->name,
			   e->call->kind == KT_MAP_SERIES ? "intervals" : "steps");
	m->has_shape = true;
	m->min = min;
	m->max = max;
	m->step = step;
}

static void check_lhist(struct check *c, struct expr *e, struct map *m)
{
	int64_t min = check_want_constant(c, e->args[1], "the least value");
	int64_t max = check_want_constant(c, e->args[2], "the greatest value");
	int64_t step = check_want_constant(c, e->args[3], "the step");

	if (step < 1 || max <= min || min < -(INT64_C(1) << 61) ||
	    max > INT64_C(1) << 61)
		front_fail(c->f, e->pos, "lhist(value, min, max, step): min is less than max, "
			   "step is at least 1");
	if ((max - min) % step || (max - min) / step > KT_LHIST_MAX)
		front_fail(c->f, e->pos, "lhist() has at most %d steps, and none is cut",
			   KT_LHIST_MAX);
	set_shape(c, e, m, min, max, step);
}

static void check_hist(struct check *c, struct expr *e, struct map *m)
{
	int64_t bits = e->args_nr == 2 ? check_want_constant(c, e->args[1], "the number of bits") : 0;

	if (bits < 0 || bits > KT_HIST_BITS_MAX)
		front_fail(c->f, e->args[1]->pos, "hist() divides each power of 2 into 2^0 to 2^%d "
			   "parts", KT_HIST_BITS_MAX);
	set_shape(c, e, m, 0, 0, bits);
}

/* tseries(value, 100ms, 20, "max") */
static void check_series(struct check *c, struct expr *e, struct map *m)
{
	static const char *const how[] = {
		[KT_SERIES_LAST] = "last", [KT_SERIES_AVG] = "avg", [KT_SERIES_MAX] = "max",
		[KT_SERIES_MIN] = "min", [KT_SERIES_SUM] = "sum",
	};
	int64_t nsecs = check_want_constant(c, e->args[1], "the length of an interval");
	int64_t nr = check_want_constant(c, e->args[2], "the number of intervals");
	uint32_t i = KT_SERIES_LAST;

	if (nsecs < 1)
		front_fail(c->f, e->args[1]->pos, "an interval is at least 1ns long");
	if (nr < 1 || nr > KT_SERIES_MAX_NR)
		front_fail(c->f, e->args[2]->pos, "a time series has 1 to %d intervals",
			   KT_SERIES_MAX_NR);
	if (e->args_nr == 4)
		for (i = KT_SERIES_AVG; i < KT_SERIES_HOWS; i++)
			if (e->args[3]->kind == E_STRING && !strcmp(e->args[3]->name, how[i]))
				break;
	if (i == KT_SERIES_HOWS)
		front_fail(c->f, e->args[3]->pos, "\"avg\", \"max\", \"min\" or \"sum\" is expected "
			   "here");
	set_shape(c, e, m, nsecs, nr, i);
}

void call_check_aggregate(struct check *c, struct expr *e, struct map *m)
{
	const struct call *call = e->call = find(e->name);
	struct type t;

	check_nr(c, e, call);
	check_map_kind(c, m, call->kind, e->pos);
	if (!e->args_nr)
		return;
	check_number(c, e->args[0], "what is counted");
	if (call->kind == KT_MAP_LHIST)
		check_lhist(c, e, m);
	if (call->kind == KT_MAP_HIST)
		check_hist(c, e, m);
	if (call->kind == KT_MAP_SERIES)
		check_series(c, e, m);
	if (check_unknown(c, e->args[0]))
		return;
	t = type_int(c, 8, e->args[0]->type.t.sign);
	type_merge(c->f, &m->value, &t);
}
