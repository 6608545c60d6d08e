// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* build.c - build.h's functions, and what kt_host.h has of memory. */
#include <stdlib.h>

#include "build.h"

u64 fake_nsecs = 5000;
__thread u32 fake_cpu;
u8 fake_memory[FAKE_LEN];
u64 fake_watched_at, fake_watched_len;

void build_begin(struct build *build)
{
	memset(build, 0, sizeof(*build));
	build->head.shards = 1;
	build->head.scratch = 256;
	build->head.probes_nr = 1;
	build->probes[0].addr = 0x1000;
}

void build_insn(struct build *build, u8 op, u32 a, u32 b, u32 c, s32 imm)
{
	build->insns[build->head.insns_nr++] = (struct kt_insn){
		.op = op, .a = (u8)a, .b = (u8)b, .c = (u8)c, .imm = imm,
	};
}

u32 build_map(struct build *build, u32 kind, u32 key_len, u32 value_len, u32 keys)
{
	build->maps[build->head.maps_nr] = (struct kt_map){
		.kind = kind, .key_len = key_len, .value_len = value_len,
		.keys = keys,
	};
	return build->head.maps_nr++;
}

void build_sum(struct kt_program *program)
{
	program->sum = kt_sum(&program->sum + 1, program->size - KT_SUM_END);
}

static u32 put(u8 *bytes, u32 *size, const void *part, u64 len)
{
	u32 at = *size;

	memcpy(bytes + at, part, len);
	*size = (at + (u32)len + 7) & ~7u;
	return at;
}

void build_program(struct build *build)
{
	u8 *bytes = calloc(1, 2 * sizeof(*build));
	struct kt_program *p = &build->head;
	u32 size = sizeof(*p), i;

	for (i = 0; i < p->probes_nr; i++) {
		build->probes[i].nr = build->probes[i].nr ?: p->insns_nr;
		build->probes[i].name = build->probes[i].name ?: KT_NO_NAME;
	}
	p->magic = KT_MAGIC;
	p->version = KT_VERSION;
	p->probes = put(bytes, &size, build->probes,
			p->probes_nr * sizeof(build->probes[0]));
	p->insns = put(bytes, &size, build->insns,
		       p->insns_nr * sizeof(build->insns[0]));
	p->maps = put(bytes, &size, build->maps, p->maps_nr * sizeof(build->maps[0]));
	p->data_len = sizeof(build->data);
	p->data = put(bytes, &size, build->data, sizeof(build->data));
	p->names_len = sizeof(build->names);
	p->names = put(bytes, &size, build->names, sizeof(build->names));
	p->size = size;
	memcpy(bytes, p, sizeof(*p));
	build->program = malloc(size);
	memcpy(build->program, bytes, size);
	free(bytes);
	build_sum(build->program);
}

const char *build_done(struct build *build)
{
	const char *wrong;

	build_program(build);
	wrong = kt_check(build->program, build->program->size, &build->vm);
	if (!wrong)
		kt_arena_begin(&build->vm, calloc(1, build->vm.layout.size), 1000);
	return wrong;
}

void build_free(struct build *build)
{
	free(build->vm.arena);
	free(build->program);
}

struct kt_hit build_hit(const struct build *build, struct pt_regs *regs)
{
	struct kt_hit hit = { .regs = regs, .addr = build->probes[0].addr };

	kt_run(&build->vm, 0, &hit);
	return hit;
}

u64 build_total(const struct build *build, u32 word)
{
	const u8 *key;
	u64 total = 0;
	u8 *value;
	u32 slot;

	for (slot = 0; slot < kt_slots(build->vm.maps); slot++)
		if (kt_map_at(&build->vm, 0, 0, slot, &key, &value))
			total += ((u64 *)value)[word];
	return total;
}
