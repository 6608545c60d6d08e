// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * pairs.c - matching the entry and return probes of a function.
 *
 * Owns: struct places, for each arena, made when it has its first hit.  Sorted by address, the
 * probes of a function are beside each other; those of a system call are matched by its name.  A
 * pair has the number of its first probe.
 */
#include "timeline.h"

#include <stdlib.h>
#include <string.h>

struct order {
	const struct trace_script *script;
	const struct kt_probe *probes;
};

static bool is_call(const struct trace_probe *probe)
{
	return !strncmp(probe->name, "syscall:", 8) ||
	       !strncmp(probe->name, "sysret:", 7) ||
	       !strncmp(probe->name, "tracepoint:", 11);
}

/* By address; those that have none, and system calls, by name. */
static int by_function(const void *a, const void *b, void *arg)
{
	const struct order *order = arg;
	u32 x = *(const u32 *)a, y = *(const u32 *)b;
	const struct trace_probe *p = &order->script->probes[x];
	const struct trace_probe *q = &order->script->probes[y];
	const struct kt_probe *at = order->probes;
	int found = p->kernel - q->kernel;

	if (!found && p->process != q->process)
		found = p->process < q->process ? -1 : 1;
	if (!found)
		found = is_call(p) - is_call(q);
	if (!found && is_call(p))
		return strcmp(p->function, q->function);
	if (!found && at[x].addr != at[y].addr)
		found = at[x].addr < at[y].addr ? -1 : 1;
	if (!found && !at[x].addr)
		found = strcmp(p->function, q->function);
	if (!found && at[x].offset != at[y].offset)
		found = at[x].offset < at[y].offset ? -1 : 1;
	return found;
}

/* Then by place, for a system call has many, and as in the script. */
static int in_order(const void *a, const void *b, void *arg)
{
	const struct order *order = arg;
	u32 x = *(const u32 *)a, y = *(const u32 *)b;
	u64 at = order->probes[x].addr, other = order->probes[y].addr;
	int found = by_function(a, b, arg);

	if (!found)
		found = at < other ? -1 : at > other;
	return found ? found : x < y ? -1 : 1;
}

/* These nr probes are of one function. */
static void pair(const struct order *order, const u32 *probes, u32 nr,
		 struct place *places)
{
	u32 i, entries = 0, returns = 0;
	u64 ended = 0;			/* where the last one is that ends it */

	for (i = 0; i < nr; i++) {
		bool back = order->script->probes[probes[i]].returns;
		u64 addr = order->probes[probes[i]].addr;

		places[probes[i]] = (struct place){
			.first = probes[0], .ends = back && (!returns || addr != ended),
		};
		ended = back ? addr : ended;
		entries += !back;
		returns += back;
	}
	for (i = 0; i < nr; i++)
		places[probes[i]].slice = entries && returns;
}

static struct place *find_places(const struct order *order)
{
	u32 nr = order->script->probes_nr, *probes, i, from = 0;
	struct place *places = calloc((size_t)nr + 1, sizeof(*places));

	probes = places ? calloc((size_t)nr + 1, sizeof(*probes)) : NULL;
	if (!probes) {
		free(places);
		return NULL;
	}
	for (i = 0; i < nr; i++)
		probes[i] = i;
	qsort_r(probes, nr, sizeof(*probes), in_order, (void *)order);
	for (i = 1; i <= nr; i++)
		if (i == nr || by_function(&probes[i - 1], &probes[i], (void *)order)) {
			pair(order, &probes[from], i - from, places);
			from = i;
		}
	free(probes);
	return places;
}

struct places *read_pairs(struct trace_reader *reader, const struct kt_vm *vm)
{
	struct order order = { read_script(reader, vm), vm->probes };
	struct read_timeline *t = reader->timeline;
	u32 nr = (u32)(vm - reader->vms);
	struct places *of;

	if (nr >= t->arenas) {
		of = realloc(t->places_of, (nr + 1) * sizeof(*of));
		if (!of)
			return NULL;
		memset(&of[t->arenas], 0, (nr + 1 - t->arenas) * sizeof(*of));
		t->places_of = of;
		t->arenas = nr + 1;
	}
	of = &t->places_of[nr];
	if (!of->all) {
		of->all = find_places(&order);
		of->numbers = t->functions;
		t->functions += of->all ? order.script->probes_nr : 0;
	}
	return of->all ? of : NULL;
}

void read_pairs_free(struct read_timeline *t)
{
	u32 i;

	for (i = 0; i < t->arenas; i++)
		free(t->places_of[i].all);
	free(t->places_of);
}
