// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Random programs, programs that were damaged, and random bytes: kt_check() refuses
 * them, or they run to an end and touch nothing but their memory, also when that is
 * scribbled over; nor does a reader.  With sanitizers it is they that see it.
 *
 * usage: fuzz COUNT|@INDEX SEED
 *
 * Invariant: (seed, index) fixes an input.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "build.h"

#define ARENA_MAX (256u << 10)
#define SECONDS_EACH 20

static u64 current, seed;		/* what is tried */
static u64 passed, cut;

static void died(int sig)
{
	fprintf(stderr, "# fuzz-trace @%llu %llu: signal %d\n",
		(unsigned long long)current, (unsigned long long)seed, sig);
	_exit(1);
}

static void damage(u8 *bytes, u32 len, u64 *random)
{
	u64 r = random_next(random);
	u32 at = (u32)(r >> 32) % len;

	switch (r & 3) {
	case 0:
		bytes[at] ^= (u8)(1u << (r >> 2 & 7));
		break;
	case 1:
		bytes[at] = (u8)(r >> 8);
		break;
	case 2:				/* the head decides most */
		bytes[at % sizeof(struct kt_program)] = (u8)(r >> 8);
		break;
	default:
		at &= ~3u;
		if (at + 4 <= len)
			memcpy(bytes + at, &(u32){ (u32)(r >> 8) >> (r >> 3 & 31) }, 4);
	}
}

static void scribble(struct kt_vm *vm, u64 *random)
{
	u64 words = vm->layout.size / 8, nr = random_next(random) % 64;

	while (nr--) {
		u64 r = random_next(random), at = (r >> 8) % words;

		((u64 *)vm->arena)[at] = r & 1 ? random_next(random) >> (r >> 1 & 63) :
					 r >> 1 & 3;
	}
}

static void read_map(struct kt_vm *vm, u32 map)
{
	u32 shard, slot;
	const u8 *key;
	u8 *value;

	for (shard = 0; shard < kt_shards(vm->program, &vm->maps[map]); shard++) {
		for (slot = 0; slot < kt_slots(&vm->maps[map]); slot++) {
			if (!kt_map_at(vm, map, shard, slot, &key, &value))
				continue;
			kt_hash(value, kt_value_len(&vm->maps[map]));
			if (slot & 1)
				kt_map_delete(vm, map, shard, key);
		}
	}
}

static void read_results(struct kt_vm *vm)
{
	u64 record[KT_RECORD_MAX / 8], frames[KT_DEPTH_MAX], skipped = 0;
	u32 i, nr = 0;

	for (i = 0; i < vm->program->maps_nr; i++)
		read_map(vm, i);
	for (i = 0; i < 10; i++)
		kt_stack_get(vm, i, frames, i);
	for (i = 0; i < vm->program->shards; i++)
		while (kt_ring_take(vm, i, record, &skipped) ||
		       kt_ring_skip(vm, i, &skipped))
			if (++nr > 10000)
				abort();
}

static void run(struct kt_vm *vm, u64 *random)
{
	struct pt_regs regs = { { random_next(random) % 20,
				  FAKE_AT + random_next(random) % FAKE_LEN,
				  random_next(random) } };
	/* Now and then no probe that there is. */
	u32 probe = (u32)random_next(random) >> 12 & (random_next(random) & 7 ? 0 : ~0u);
	struct kt_hit hit = { .regs = &regs, .probe = probe };
	struct kt_probe_state *states;
	u32 i;

	kt_arena_begin(vm, calloc(1, vm->layout.size), 1);
	kt_plans(vm);
	for (i = 0; i < 6; i++) {
		fake_cpu = i;
		hit.regs = i == 3 ? NULL : &regs;
		if (i & 1 || !vm->program->probes_nr)
			kt_run(vm, (u32)random_next(random) % 64, &hit);
		else
			kt_serve(vm, kt_plan_of(vm, vm->probes[0].first),
				 vm->probes[0].first, &hit);
		if (i > 2)
			scribble(vm, random);
		read_results(vm);
	}
	states = (void *)(vm->arena + vm->layout.probes);
	cut += vm->program->probes_nr && states[0].cut;
	free(vm->arena);
}

static void try(void)
{
	u64 random = seed * 0x1000003 + current, how, nr;
	struct kt_program *program;
	static struct build build;
	struct kt_vm vm;
	u32 i, size;

	how = random_next(&random);
	random_program(&build, &random);
	program = build.program;
	size = program->size;
	if (how % 8 == 0)
		for (nr = 1 + (how >> 8) % 6; nr; nr--)
			damage((u8 *)program, size, &random);
	if (how % 64 == 1)
		for (i = 0; i < size; i++)
			((u8 *)program)[i] = (u8)random_next(&random);
	if (how >> 16 & 7 && program->size == size)
		build_sum(program);
	if (!kt_check(program, size, &vm) && vm.layout.size <= ARENA_MAX) {
		passed++;
		run(&vm, &random);
	}
	free(program);
}

int main(int argc, char **argv)
{
	u64 end;

	if (argc < 3) {
		fprintf(stderr, "usage: fuzz COUNT|@INDEX SEED\n");
		return 2;
	}
	seed = strtoull(argv[2], NULL, 0);
	end = strtoull(argv[1] + (argv[1][0] == '@'), NULL, 0);
	if (argv[1][0] == '@')
		current = end++;
	signal(SIGALRM, died);
	signal(SIGSEGV, died);
	signal(SIGABRT, died);
	signal(SIGFPE, died);
	signal(SIGILL, died);
	for (; current < end; current++) {
		if (current % 1024 == 0)
			alarm(SECONDS_EACH);
		try();
	}
	printf("ok fuzz-trace seed %llu: %llu inputs, %llu ran, %llu of them were cut off\n",
	       (unsigned long long)seed, (unsigned long long)end,
	       (unsigned long long)passed, (unsigned long long)cut);
	return 0;
}
