/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * vm.h - trace programs: proved, laid out and executed.
 *
 * Owns: the prototypes of check.c, layout.c, plan.c, follow.c, run.c, map.c, stack.c,
 * ring.c, and what they read of a program alike.
 * Freestanding: no allocation, no lock, no fault, a bounded number of steps, and
 * nothing but kt_host.h of the machine.  kt_run() may be called in any context,
 * also while it runs on this very processor or thread.
 */
#ifndef KT_VM_H
#define KT_VM_H

#include "plan.h"
#include "program.h"

struct pt_regs;

/* The halves of an instruction's imm. */
static inline u32 kt_lo(const struct kt_insn *insn)
{
	return (u32)insn->imm & 0xffff;
}

static inline u32 kt_hi(const struct kt_insn *insn)
{
	return (u32)insn->imm >> 16;
}

/* The low bytes of a number; how: c of EXT. */
static inline u64 kt_extend(u64 number, u32 how)
{
	u32 unused = 64 - (8u << (how & KT_SIZE_MASK));

	number <<= unused;
	return how & KT_SIGNED ? (u64)((s64)number >> unused) : number >> unused;
}

/* Offsets from the arena's begin. */
struct kt_layout {
	u64 probes, map_states;
	u64 maps[KT_MAPS_MAX];		/* shard 0 of each */
	u64 stacks, rings;
	u64 size;
};

/* Where a map is, and how it is searched. */
struct kt_table {
	u64 at, shard_len;		/* shard 0 in the arena; bytes of each */
	u32 mask;			/* places - 1 */
	u32 slot_len, key_len, value_len;
	u32 shards, kind;
};

/* A program that was proved, and its arena. */
struct kt_vm {
	const struct kt_program *program;	/* the private copy */
	const struct kt_insn *insns;
	const struct kt_map *maps;
	const struct kt_probe *probes;
	const u8 *data;
	const char *names;
	struct kt_layout layout;
	struct kt_table tables[KT_MAPS_MAX];
	u32 regs_nr;			/* registers that it uses */
	u32 plans_nr;
	struct kt_plan plans[KT_PLANS];
	u8 *arena;
};

/* One hit. */
struct kt_hit {
	struct pt_regs *regs;		/* NULL: none (BEGIN, interval) */
	u64 addr;			/* of the probe */
	u32 probe;			/* its number */
	bool returns;			/* a function has returned */
	bool begins;			/* one has just begun, where stacks want to know */
	bool overridden;		/* out: the function is to return value */
	u64 value;
};

/* check.c: the sum of len bytes. */
u64 kt_sum(const void *bytes, u64 len);
/*
 * check.c: prove it.  0 and *vm is ready but for its arena, or what is wrong, a
 * constant text.
 */
const char *kt_check(const void *program, u64 len, struct kt_vm *vm);

/* layout.c: false: it would be larger than 2^40. */
bool kt_layout(const struct kt_program *program, struct kt_layout *layout);
u32 kt_slots(const struct kt_map *map);		/* of a table: a power of two */
u32 kt_slot_len(const struct kt_map *map);	/* bytes */
u32 kt_value_len(const struct kt_map *map);	/* bytes, of any kind */
u32 kt_shards(const struct kt_program *program, const struct kt_map *map);
u32 kt_stack_len(const struct kt_program *program);
u64 kt_table_len(const struct kt_map *map);	/* bytes of a shard */
/* vm is proved, and layout its program's: fill tables. */
void kt_tables(struct kt_vm *vm);
/*
 * vm works on arena.  A new one is all zero; then nsecs is when it begins, by
 * kt_host_nsecs().  0: it is in use already.
 */
void kt_arena_begin(struct kt_vm *vm, void *arena, u64 nsecs);
/* Nobody works on it any more. */
void kt_arena_end(const struct kt_vm *vm);

/* plan.c: once vm is proved, what its probes' clauses come to. */
void kt_plans(struct kt_vm *vm);
/* Of the clause that begins at first. */
const struct kt_plan *kt_plan_of(const struct kt_vm *vm, u32 first);
/* follow.c: a hit that has registers.  As kt_run(), often without it. */
void kt_serve(const struct kt_vm *vm, const struct kt_plan *plan, u32 first,
	      struct kt_hit *hit);

/* Do arguments alone decide whether anything is done of a hit?  Then ask filter.h. */
bool kt_plan_filters(const struct kt_plan *plan);
/* Does its first step's argument alone?  Then what is not filtered out is in *range. */
bool kt_plan_range(const struct kt_plan *plan, struct kt_range *range);

/* run.c: the instructions from first on. */
void kt_run(const struct kt_vm *vm, u32 first, struct kt_hit *hit);
/* A builtin, but RANDOM. */
u64 kt_get(const struct kt_vm *vm, const struct kt_hit *hit, u32 which);

/*
 * map.c.  key: key_len bytes; as all that is hashed, at a multiple of 8 and so many
 * words.  Where the value is, or NULL.
 */
u64 kt_hash(const void *bytes, u32 len);
u8 *kt_map_find(const struct kt_vm *vm, u32 map, u32 shard, const void *key);
/* The same; it is made, with zeros, where there is room: else counted as full. */
u8 *kt_map_make(const struct kt_vm *vm, u32 map, u32 shard, const void *key);
bool kt_map_delete(const struct kt_vm *vm, u32 map, u32 shard, const void *key);
/* Take value into account.  Not VALUE. */
void kt_map_add(const struct kt_vm *vm, u32 map, u32 shard, const void *key,
		s64 value);
/* Which bucket of its histogram a value belongs to. */
u32 kt_hist_bucket(s64 value, u32 bits);
u32 kt_lhist_bucket(const struct kt_map *map, s64 value);
/*
 * MIN and MAX keep the largest of these, and so 0 is less than all: what is kept of
 * a value, and the value again.
 */
static inline u64 kt_extreme_keep(u32 kind, s64 value)
{
	u64 bits = (u64)value ^ 1ull << 63;

	return kind == KT_MAP_MIN ? ~bits : bits;
}
static inline s64 kt_extreme(u32 kind, u64 kept)
{
	return (s64)((kind == KT_MAP_MIN ? ~kept : kept) ^ 1ull << 63);
}
/* What a program's MGET gives; 0 when there is no such key. */
u64 kt_map_get(const struct kt_vm *vm, u32 map, const void *key);

/*
 * map.c, for who reads: a slot of a table.  false: there is no key in it; else
 * *key and *value lead into the arena, where they may change.
 */
bool kt_map_at(const struct kt_vm *vm, u32 map, u32 shard, u32 slot,
	       const u8 **key, u8 **value);

/*
 * map.c: the first key from place on that is in the map, each once; *key is filled.  How many
 * places were looked at is added to *seen, and no more than most of them.  The place behind
 * it; 0: there is none.
 */
u64 kt_map_next(const struct kt_vm *vm, u32 map, u64 place, void *key, u64 most, u64 *seen);

/* stack.c: its number, or KT_NO_STACK. */
u32 kt_stack_put(const struct kt_vm *vm, const u64 *frames, u32 nr);
/* Frames of a stack, at most room; 0: none such. */
u32 kt_stack_get(const struct kt_vm *vm, u32 number, u64 *frames, u32 room);
/* How many it has. */
u32 kt_stack_depth(const struct kt_vm *vm, u32 number);

/* ring.c: false: no room. */
bool kt_ring_put(const struct kt_vm *vm, u32 shard, const struct kt_record *head,
		 const void *bytes, u32 len);
/*
 * ring.c, for who reads: the oldest record of a ring is copied to record, which
 * has room for KT_RECORD_MAX bytes; len is its length alone, and event is below
 * events_nr.  Its length; 0: there is none (yet).  Where there is nonsense the ring
 * is emptied: so many bytes are then added to *skipped.
 */
u32 kt_ring_take(const struct kt_vm *vm, u32 shard, void *record, u64 *skipped);
/*
 * The oldest record will not be written any more, for its writer was killed: go
 * over it, so that the next can be taken.  False: there is none.
 */
bool kt_ring_skip(const struct kt_vm *vm, u32 shard, u64 *skipped);

#endif
