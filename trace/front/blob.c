/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * blob.c - the program, in the format of vm/program.h, and the meaning of its numbers.
 *
 * Owns: the layout of a finished program, and the tables by which the reader interprets it.
 */
#include "check.h"

#include "vm/vm.h"

#include <string.h>

#define RING_BYTES	(1u << 20)
#define MARKS_BYTES	(4u << 20)	/* where each hit is an event */
#define STACKS		16384u

/* How many of everything. */
struct sizes {
	uint32_t probes, blocks;
	uint64_t names;
};

static struct sizes measure(struct front *f)
{
	struct sizes s = { 0 };
	struct variant *v;
	struct place *p;

	for (v = f->variants; v; v = v->next) {
		s.blocks += v->kind == VARIANT_BLOCK;
		for (p = v->places; p; p = p->next) {
			s.probes++;
			s.names += p->p.symbol ? strlen(p->p.symbol) + 1 : 0;
		}
	}
	if (s.probes > KT_PROBES_MAX || s.names > UINT32_MAX / 4)
		front_fail(f, f->clauses->attach->pos, "the script has more than %u places",
			   KT_PROBES_MAX);
	return s;
}

static uint32_t kind_of(const struct variant *v, const struct place *p)
{
	if (v->attach->a.watch)
		return watch_is_any(&p->p) ? KT_PROBE_WATCHED : KT_PROBE_WATCH;
	if (strstr(v->attach->a.provider, "code"))
		return KT_PROBE_CODE;
	if (p->p.kind == TRACE_PLACE_EVENT)
		return KT_PROBE_EVENT;
	if (p->p.kind == TRACE_PLACE_SAMPLE)
		return KT_PROBE_SAMPLE;
	return v->kind == VARIANT_RETURN && !p->p.behind ? KT_PROBE_RETURN
							 : KT_PROBE_ENTRY;
}

static void write_probe(struct kt_program *program,
			struct kt_probe *probe, struct trace_probe *shown,
			const struct variant *v, const struct place *p)
{
	char *names = (char *)program + program->names;

	*probe = (struct kt_probe){
		.addr = p->p.addr, .name = KT_NO_NAME, .offset = p->p.offset,
		.kind = kind_of(v, p),
		.first = v->first, .nr = v->nr,
		.watch = v->attach->a.watch ? v->attach->a.watch : p->group,
	};
	if (p->p.symbol) {
		probe->name = program->names_len;
		strcpy(names + probe->name, p->p.symbol);
		program->names_len += (uint32_t)strlen(p->p.symbol) + 1;
	}
	*shown = (struct trace_probe){
		.name = (char *)p->p.name, .function = (char *)p->p.function,
		.kernel = p->p.kernel, .process = p->p.process,
		.needed = p->needed,
		.returns = v->kind == VARIANT_RETURN,
	};
}

static void write_probes(struct front *f, struct kt_program *program,
			 const struct sizes *sizes)
{
	struct kt_probe *probes = (void *)((char *)program + program->probes);
	struct trace_script *s = f->script;
	struct variant *v;
	struct place *p;

	s->probes = front_alloc(f, sizes->probes * sizeof(*s->probes) + 1);
	for (v = f->variants; v; v = v->next)
		for (p = v->places; p; p = p->next) {
			write_probe(program, &probes[s->probes_nr],
				    &s->probes[s->probes_nr], v, p);
			s->probes_nr++;
		}
}

static void write_map(struct front *f, struct kt_map *to, struct trace_map *shown,
		      const struct map *m)
{
	uint32_t i, at = 0;

	*to = (struct kt_map){
		.kind = m->kind, .key_len = m->key_len,
		.value_len = m->kind == KT_MAP_VALUE ? ROUND8(m->value.t.size) : 0,
		.keys = m->key_len ? f->env->keys_max : 1,
		.min = m->min, .max = m->max, .step = m->step,
	};
	*shown = (struct trace_map){
		.name = (char *)m->name, .hidden = m->hidden, .keys_nr = m->keys_nr, .value = m->value.t,
		.kind = m->kind, .added = !m->assigned && type_is_number(&m->value),
		.min = m->min, .max = m->max, .step = m->step,
	};
	shown->keys = front_alloc(f, m->keys_nr * sizeof(*shown->keys) + 1);
	for (i = 0; i < m->keys_nr; i++) {
		shown->keys[i].type = m->keys[i].t;
		shown->keys[i].offset = at;
		at += ROUND8(m->keys[i].t.size);
	}
}

static void write_maps(struct front *f, struct kt_program *program)
{
	struct kt_map *maps = (void *)((char *)program + program->maps);
	struct trace_script *s = f->script;
	struct map *m;

	s->maps_nr = f->maps_nr;
	s->maps = front_alloc(f, f->maps_nr * sizeof(*s->maps) + 1);
	for (m = f->maps; m; m = m->next) {
		if (!m->has_kind)
			front_fail(f, m->pos, "nothing is ever put into %s", m->name);
		write_map(f, &maps[m->number], &s->maps[m->number], m);
	}
}

static void write_blocks(struct front *f, const struct sizes *sizes)
{
	struct trace_script *s = f->script;
	struct variant *v;

	s->blocks = front_alloc(f, sizes->blocks * sizeof(*s->blocks) + 1);
	for (v = f->variants; v; v = v->next)
		if (v->kind == VARIANT_BLOCK)
			s->blocks[s->blocks_nr++] = (struct trace_block){
				.kind = v->block, .nsecs = v->attach->a.nsecs,
				.first = v->first,
			};
}

static uint32_t part(uint64_t *size, uint64_t len)
{
	uint64_t at = *size;

	*size = (at + len + 7) & ~7ull;
	return (uint32_t)at;
}

void blob_write(struct front *f)
{
	struct sizes sizes = measure(f);
	struct kt_program head = { .magic = KT_MAGIC, .version = KT_VERSION }, *p;
	uint64_t size = sizeof(head);

	head.probes = part(&size, (uint64_t)sizes.probes * sizeof(struct kt_probe));
	head.insns = part(&size, (uint64_t)f->code.nr * sizeof(struct kt_insn));
	head.maps = part(&size, (uint64_t)f->maps_nr * sizeof(struct kt_map));
	head.data = part(&size, f->data_len);
	head.names = part(&size, sizes.names);
	head.probes_nr = sizes.probes;
	head.insns_nr = f->code.nr;
	head.maps_nr = f->maps_nr;
	head.data_len = f->data_len;
	head.size = (uint32_t)size;
	head.events_nr = f->script->events_nr;
	head.scratch = ROUND8(f->scratch);
	head.shards = f->env->shards;
	head.ring = head.events_nr ? f->env->marks ? MARKS_BYTES : RING_BYTES : 0;
	head.stacks = f->depth ? STACKS : 0;
	head.depth = f->depth;
	p = front_alloc(f, size);
	*p = head;
	f->script->program = p;
	memcpy((char *)p + p->insns, f->code.all, f->code.nr * sizeof(struct kt_insn));
	if (f->data_len)
		memcpy((char *)p + p->data, f->data, f->data_len);
	write_probes(f, p, &sizes);
	write_maps(f, p);
	write_blocks(f, &sizes);
	p->sum = kt_sum(&p->sum + 1, p->size - KT_SUM_END);
}
