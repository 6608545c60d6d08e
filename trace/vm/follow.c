// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * follow.c - serving a hit by the plan of its clause.
 *
 * Owns: kt_serve().  No locks; any context of a handler.
 */
#include "kt_host.h"
#include "word.h"

static inline u64 number_from(const struct kt_vm *vm, const struct kt_hit *hit, u8 from)
{
	return kt_likely(from < KT_FROM_ARGS) ? kt_host_first_arg(hit, from) :
	       kt_get(vm, hit, from - KT_FROM_GET);
}

static inline u64 number_of(const struct kt_vm *vm, const struct kt_hit *hit,
			    const struct kt_source *source)
{
	if (source->from == KT_FROM_CONST)
		return source->number;
	return kt_extend(number_from(vm, hit, source->from), source->how);
}

/* Apart, for what is added once is most often at hand. */
static ASIDE u32 decide(const struct kt_vm *vm, const struct kt_plan *plan,
			const struct kt_hit *hit)
{
	const struct kt_step *step;
	u32 at = 0;

	do {
		step = &plan->steps[at];
		at = kt_step_next(step, number_from(vm, hit, step->from));
	} while (at < KT_PLAN_STEPS);
	return at;
}

static ASIDE void add_any(const struct kt_vm *vm, const struct kt_addition *add,
			  const struct kt_hit *hit)
{
	u64 key[KT_PLAN_WORDS];
	u32 i;

	for (i = 0; i < add->words; i++)
		key[i] = number_of(vm, hit, &add->key[i]);
	kt_map_add(vm, add->map, kt_host_cpu(), key,
		   (s64)number_of(vm, hit, &add->value));
}

/* Most have a key of one argument, or none. */
static ASIDE void add(const struct kt_vm *vm, const struct kt_addition *add,
		const struct kt_hit *hit)
{
	u64 key;

	if (kt_unlikely(!add->counts)) {
		add_any(vm, add, hit);
		return;
	}
	key = kt_host_first_arg(hit, add->key[0].from);
	kt_map_add(vm, add->map, kt_host_cpu(), &key, 0);
}

void kt_serve(const struct kt_vm *vm, const struct kt_plan *plan, u32 first,
	      struct kt_hit *hit)
{
	u32 at = plan->entry;

	if (at < KT_PLAN_STEPS)
		at = decide(vm, plan, hit);
	if (at == KT_PLAN_ADD)
		add(vm, &plan->add, hit);
	else if (at == KT_PLAN_RUN)
		kt_run(vm, first, hit);
}
