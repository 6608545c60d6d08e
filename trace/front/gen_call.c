/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * gen_call.c - which hits at an instruction that calls the kernel are meant.
 *
 * Owns: what runs before the clause.  At one that makes several calls the number is
 * looked at.  Behind it the number is gone, and branches may lead there: so the hit
 * at the call notes the number for its thread, and the one behind it takes it:
 *
 *	the call:	@[tid, N] = number
 *	behind it:	if there is no @[tid, N], it is not meant; delete it
 *
 * N is this return's own, so that several at one place do not disturb each other.
 */
#include "check.h"

#include <string.h>

static const char notes_name[] = "@ (system calls under way)";

bool call_is_own(const struct trace_place *place)
{
	return place->number || place->after;
}

static struct map *notes_map(struct front *f, struct pos pos)
{
	struct map *m;

	for (m = f->maps; m; m = m->next)
		if (m->hidden)
			return m;
	if (f->maps_nr == KT_MAPS_MAX)
		front_fail(f, pos, "a script with sysret has at most %u maps",
			   KT_MAPS_MAX - 1);
	m = front_alloc(f, sizeof(*m));
	*m = (struct map){
		.name = notes_name, .number = f->maps_nr++, .hidden = true,
		.has_kind = true, .has_keys = true, .kind = KT_MAP_VALUE,
		.key_len = 16, .pos = pos, .next = f->maps,
	};
	m->value.t = (struct trace_type){ .kind = TRACE_INT, .size = 8 };
	f->maps = m;
	return m;
}

void call_add_notes(struct front *f, struct variant *returns)
{
	struct variant *v = front_alloc(f, sizeof(*v));
	struct place *p = front_alloc(f, sizeof(*p));

	p->p = returns->places->p;
	p->p.addr = p->p.after;
	p->p.after = 0;
	p->p.behind = false;
	p->needed = returns->places->needed;
	*f->last_variant = v;
	f->last_variant = &v->next;
	v->attach = returns->attach;
	v->kind = VARIANT_ENTRY;
	v->places = p;
	v->noted_in = returns->noted_in = notes_map(f, v->attach->pos);
	v->noted_as = returns->noted_as = ++f->notes_nr;
}

static void gen_only(struct gen *g, const struct trace_place *place,
		     struct jumps **no)
{
	int temps = g->temps, number = gen_number(g, place->number);

	code_put(g, KT_EQI, number, number, 0, (int32_t)place->only);
	code_jump(g, no, KT_JZ, number);
	g->temps = temps;
}

void gen_call(struct gen *g, const struct place *place, struct jumps **no)
{
	const struct trace_place *p = &place->p;
	int temps = g->temps, reg;
	uint32_t scratch, key;

	/* Behind the call it is the call's. */
	if (p->number && p->only >= 0 && !p->after)
		gen_only(g, p, no);
	if (!g->v->noted_in)
		return;
	g->v->noted = p->after ? code_room(g, 8) : 0;
	scratch = g->scratch;
	key = code_room(g, 16);
	reg = code_temp(g);
	code_put(g, KT_GET, reg, 0, 0, KT_GET_TID);
	code_put_store(g, reg, key, 8);
	code_put_number(g, reg, g->v->noted_as);
	code_put_store(g, reg, key + 8, 8);
	if (p->after) {
		code_put(g, KT_MGET, reg, (int)g->v->noted_in->number, 0, code_halves(key, 0));
		code_put_store(g, reg, g->v->noted, 8);
		code_put(g, KT_MDEL, reg, (int)g->v->noted_in->number, 0, code_halves(key, 0));
		code_jump(g, no, KT_JZ, reg);
	} else {
		code_put(g, KT_MSET, p->number ? gen_number(g, p->number) : reg,
			 (int)g->v->noted_in->number, 0, code_halves(key, 0));
	}
	g->temps = temps;
	g->scratch = scratch;
}

uint32_t call_probe(const struct gen *g)
{
	const struct variant *v;
	const struct place *p;
	uint32_t number = 0;

	/* As blob.c counts them. */
	for (v = g->f->variants; v; v = v->next)
		for (p = v->places; p; p = p->next) {
			if (!strcmp(p->p.name, g->v->places->p.name))
				return number;
			number++;
		}
	return 0;
}
