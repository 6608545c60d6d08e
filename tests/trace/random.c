// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * random.c - programs at random.
 *
 * Owns: what an instruction may look like.  Operands are chosen so that they fit,
 * but for one in a thousand, which is anything.
 */
#include "build.h"

u64 random_next(u64 *state)
{
	u64 z = *state += 0x9E3779B97F4A7C15ull;

	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
	z = (z ^ z >> 27) * 0x94D049BB133111EBull;
	return z ^ z >> 31;
}

static u32 below(u64 *state, u32 end)
{
	return end ? (u32)(random_next(state) >> 32) % end : 0;
}

static void random_map(struct build *build, u64 *state)
{
	u32 kind = below(state, KT_MAP_KINDS), nr;

	nr = build_map(build, kind, 8 * below(state, 4),
		       kind == KT_MAP_VALUE ? 8 + 8 * below(state, 3) : 0,
		       1 + below(state, 12));
	build->maps[nr].min = (s64)below(state, 100) - 50;
	build->maps[nr].max = build->maps[nr].min + 1 + below(state, 100);
	build->maps[nr].step = 1 + below(state, 30);
}

/* A place in the scratch memory for len bytes; a multiple of 8. */
static u32 place(struct build *build, u64 *state, u32 len)
{
	return 8 * below(state, (build->head.scratch - len) / 8 + 1);
}

static s32 range(struct build *build, u64 *state)
{
	u32 len = 8 + 8 * below(state, 4);

	return LOHI(place(build, state, len), len);
}

/* Only of one kind where only that is allowed; else any. */
static u32 some_map(struct build *build, u64 *state, u8 op)
{
	u32 i, nr = below(state, build->head.maps_nr), kind;

	for (i = 0; i < build->head.maps_nr; i++, nr++) {
		nr %= build->head.maps_nr;
		kind = build->maps[nr].kind;
		if (op == KT_MHAS || op == KT_MDEL)
			return nr;
		if (op == KT_MGET && kind < KT_MAP_HIST)
			return nr;
		if (op == KT_MAGG && kind != KT_MAP_VALUE)
			return nr;
		if ((op == KT_MGETV || op == KT_MSETV) && kind == KT_MAP_VALUE)
			return nr;
		if (kind == KT_MAP_VALUE && build->maps[nr].value_len == 8)
			return nr;
	}
	return 0;
}

static void random_map_insn(struct build *build, u64 *state, struct kt_insn *insn)
{
	const struct kt_map *map;

	insn->b = (u8)some_map(build, state, insn->op);
	map = &build->maps[insn->b];
	insn->imm = LOHI(place(build, state, map->key_len),
			 place(build, state, map->value_len));
}

static void random_operands(struct build *build, u64 *state, struct kt_insn *insn)
{
	switch (insn->op) {
	case KT_CONST:
		insn->imm = (s32)(8 * below(state, sizeof(build->data) / 8));
		break;
	case KT_EXT:
		insn->c &= KT_SIZE_MASK | KT_SIGNED;
		break;
	case KT_JMP: case KT_JZ: case KT_JNZ:
		insn->imm = (s32)below(state, 10) - 4;
		break;
	case KT_GET:
		insn->imm = (s32)below(state, KT_GETS);
		break;
	case KT_ARG: case KT_REG:
		insn->imm = (s32)below(state, KT_HOST_REGS);
		break;
	case KT_LOAD: case KT_STACK:
		insn->imm = 1 + (s32)below(state, build->head.depth);
		insn->c &= insn->op == KT_STACK ? KT_USER : 15;
		break;
	case KT_LDS: case KT_STS:
		insn->imm = (s32)below(state, build->head.scratch - 7);
		insn->c &= insn->op == KT_STS ? KT_SIZE_MASK : KT_SIZE_MASK | KT_SIGNED;
		break;
	case KT_COMM:
		insn->imm = (s32)place(build, state, 16);
		break;
	case KT_DATA:
		insn->b = insn->c = 0;
		insn->imm = range(build, state);
		break;
	case KT_COPY:
		insn->a &= 15;
		insn->b = 0;
		insn->imm = LOHI(64 + below(state, 32), below(state, 40));
		break;
	case KT_ZERO: case KT_STR: case KT_BUF: case KT_READ:
		insn->imm = range(build, state);
		insn->c &= KT_USER;
		break;
	case KT_EMIT:
		insn->a &= 3;
		insn->b = 0;
		insn->imm = range(build, state);
		break;
	case KT_INDEX: case KT_GLOB:
		insn->b &= 7;
		insn->c &= 7;
		insn->imm = LOHI(below(state, 64), below(state, 64));
		break;
	case KT_STRLEN:
		insn->imm = range(build, state);
		break;
	case KT_SAME: case KT_CMP:
		insn->c = 0;
		insn->imm = LOHI(below(state, 200), below(state, 200));
		break;
	case KT_MGET: case KT_MHAS: case KT_MGETV: case KT_MSET: case KT_MSETV:
	case KT_MADD: case KT_MDEL: case KT_MAGG: case KT_MNEXT:
		random_map_insn(build, state, insn);
		break;
	default:
		break;
	}
}

static void random_insn(struct build *build, u64 *state)
{
	struct kt_insn insn = {
		.op = (u8)(1 + below(state, KT_OPS - 1)),
		.a = (u8)below(state, KT_REGS), .b = (u8)below(state, KT_REGS),
		.c = (u8)below(state, KT_REGS),
		.imm = (s32)random_next(state) >> below(state, 31),
	};

	random_operands(build, state, &insn);
	if (!below(state, 1000))
		insn = (struct kt_insn){ .op = (u8)below(state, 256),
					 .a = (u8)below(state, 256),
					 .b = (u8)below(state, 256),
					 .c = (u8)below(state, 256),
					 .imm = (s32)random_next(state) };
	build_insn(build, insn.op, insn.a, insn.b, insn.c, insn.imm);
}

void random_program(struct build *build, u64 *state)
{
	u32 nr = 4 + below(state, 40), i;

	build_begin(build);
	build->head.shards = 1u << below(state, 3);
	build->head.scratch = 128 + 8 * below(state, 113);
	build->head.events_nr = 4;
	build->head.ring = KT_RING_MIN;
	build->head.stacks = 8;
	build->head.depth = 8;
	for (i = 0; i < sizeof(build->data); i++)
		build->data[i] = (u8)random_next(state);
	for (i = 1 + below(state, 4); i; i--)
		random_map(build, state);
	/* There is one of each kind that instructions need. */
	build_map(build, KT_MAP_VALUE, 8, 8, 5);
	build_map(build, KT_MAP_COUNT, 8, 0, 5);
	/* Jumps do not leave it at either end. */
	for (i = 0; i < 4; i++)
		build_insn(build, KT_ARG, below(state, KT_REGS), 0, 0, (s32)i);
	for (i = 0; i < nr; i++)
		random_insn(build, state);
	for (i = 0; i < 6; i++)
		build_insn(build, KT_END, 0, 0, 0, 0);
	build_program(build);
}
