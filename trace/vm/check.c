// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * check.c - programs are verified before they are run.
 *
 * Owns: kt_check().  It verifies everything that run.c, map.c and the others assume about a
 * program: numbers of registers, maps, events and builtins; places in the scratch memory and the
 * constants; targets of jumps; and that execution does not run off the end.  It does not verify
 * time: kt_run() counts steps.
 */
#include "kt_host.h"

u64 kt_sum(const void *bytes, u64 len)
{
	const u8 *at = bytes;
	u64 sum = len, word = 0;
	u64 i;

	for (i = 0; i < len; i++) {
		word |= (u64)at[i] << (i & 7) * 8;
		if ((i & 7) != 7 && i + 1 < len)
			continue;
		sum = (sum ^ word) * 0x9fb21c651e98df25ull;
		sum ^= sum >> 29;
		word = 0;
	}
	return sum;
}

/* ---- the head and the tables -------------------------------------------------- */

static bool is_power(u64 n)
{
	return n && !(n & (n - 1));
}

static bool section_fits(const struct kt_program *p, u32 at, u64 nr, u32 each)
{
	return at >= sizeof(*p) && !(at & 7) && at <= p->size &&
	       nr * each <= p->size - at;
}

static const char *check_sections(const struct kt_program *p)
{
	if (p->probes_nr > KT_PROBES_MAX || p->insns_nr > KT_INSNS_MAX ||
	    p->maps_nr > KT_MAPS_MAX || p->data_len > KT_DATA_MAX)
		return "the program has too much of something";
	if (!p->insns_nr)
		return "the program has no instructions";
	if (!section_fits(p, p->probes, p->probes_nr, sizeof(struct kt_probe)))
		return "the probes are not in the program";
	if (!section_fits(p, p->insns, p->insns_nr, sizeof(struct kt_insn)))
		return "the instructions are not in the program";
	if (!section_fits(p, p->maps, p->maps_nr, sizeof(struct kt_map)))
		return "the maps are not in the program";
	if (!section_fits(p, p->data, p->data_len, 1))
		return "the constants are not in the program";
	if (!section_fits(p, p->names, p->names_len, 1))
		return "the names are not in the program";
	if (p->names_len && ((const char *)p)[p->names + p->names_len - 1])
		return "the names have no end";
	return NULL;
}

static const char *check_sizes(const struct kt_program *p)
{
	if (p->scratch > KT_SCRATCH_MAX || p->scratch & 7)
		return "the scratch memory has a wrong size";
	if (!is_power(p->shards) || p->shards > KT_SHARDS_MAX)
		return "the number of shards is wrong";
	if (p->ring && (!is_power(p->ring) || p->ring < KT_RING_MIN ||
			p->ring > KT_RING_MAX))
		return "the rings have a wrong size";
	/* An event's number is 16 bits of an instruction. */
	if (p->events_nr > KT_EVENTS_MAX)
		return "there are too many events";
	if (p->depth > KT_DEPTH_MAX || p->stacks > KT_STACKS_MAX ||
	    (p->stacks && (!is_power(p->stacks) || !p->depth)))
		return "the stacks have a wrong size";
	return NULL;
}

static const char *check_head(const struct kt_program *p, u64 len)
{
	if ((unsigned long)p & 7)
		return "the program is not aligned";
	if (len < sizeof(*p))
		return "the program has no whole head";
	if (p->magic != KT_MAGIC)
		return "this is no trace program";
	if (p->version != KT_VERSION)
		return "the program is of another version";
	if (p->size != len)
		return "the program is not whole";
	if (p->sum != kt_sum(&p->sum + 1, len - KT_SUM_END))
		return "the program is damaged";
	return NULL;
}

static const char *check_probes(const struct kt_vm *vm)
{
	const struct kt_program *p = vm->program;
	u32 i;

	for (i = 0; i < p->probes_nr; i++) {
		const struct kt_probe *probe = &vm->probes[i];

		if (probe->kind >= KT_PROBE_KINDS)
			return "a probe is of no kind";
		if ((probe->kind == KT_PROBE_WATCH || probe->kind == KT_PROBE_WATCHED) &&
		    (!KT_WATCH_KIND(probe->watch) ||
		     KT_WATCH_KIND(probe->watch) > KT_WATCH_CHANGED))
			return "a watch probe is of no kind";
		if (probe->name != KT_NO_NAME && probe->name >= p->names_len)
			return "a probe's name is not in the program";
		if (probe->name == KT_NO_NAME && !probe->addr &&
		    probe->kind != KT_PROBE_ELSEWHERE &&
		    probe->kind != KT_PROBE_WATCHED)
			return "a probe has no place";
		if (!probe->nr || probe->first >= p->insns_nr ||
		    probe->nr > p->insns_nr - probe->first)
			return "a probe's instructions are not in the program";
	}
	return NULL;
}

static const char *check_map(const struct kt_map *map)
{
	if (map->kind >= KT_MAP_KINDS)
		return "a map is of no kind";
	if (map->key_len > KT_KEY_MAX || map->key_len & 7)
		return "a map's keys have a wrong length";
	if (!map->keys || map->keys > KT_KEYS_MAX)
		return "a map has a wrong number of keys";
	if (map->kind != KT_MAP_VALUE && map->value_len)
		return "a map that is no VALUE has a length";
	if (map->kind == KT_MAP_VALUE && (!map->value_len || map->value_len & 7 ||
					  map->value_len > KT_VALUE_MAX))
		return "a map's values have a wrong length";
	/* The difference of any two is a u64. */
	if (map->kind == KT_MAP_LHIST &&
	    (map->step <= 0 || map->max <= map->min ||
	     kt_udiv((u64)map->max - (u64)map->min, (u64)map->step) > KT_LHIST_MAX))
		return "a histogram's buckets are wrong";
	if (map->kind == KT_MAP_HIST && (map->step < 0 || map->step > KT_HIST_BITS_MAX))
		return "a histogram's buckets are wrong";
	if (map->kind == KT_MAP_SERIES &&
	    (map->min <= 0 || map->max <= 0 || map->max > KT_SERIES_MAX_NR ||
	     map->step < 0 || map->step >= KT_SERIES_HOWS))
		return "a series' intervals are wrong";
	return NULL;
}

static const char *check_maps(const struct kt_vm *vm)
{
	const char *wrong = NULL;
	u32 i;

	for (i = 0; i < vm->program->maps_nr && !wrong; i++)
		wrong = check_map(&vm->maps[i]);
	return wrong;
}

/* ---- instructions ------------------------------------------------------------- */

/* How an instruction uses its parts. */
#define A	1u			/* a register */
#define B	2u
#define C	4u
#define AB	(A | B)
#define ABC	(A | B | C)
#define RANGE	8u			/* S[lo], hi bytes */
#define WORDS	16u			/* and both are multiples of 8 */
#define MAP	32u			/* map b, its key at S[lo] */
#define JUMP	64u

static const struct {
	u8 uses;
	u8 flags;			/* that c may have, where it is no register */
} forms[KT_OPS] = {
	[KT_MOV] = { AB, 0 }, [KT_MOVI] = { A, 0 }, [KT_CONST] = { A, 0 },
	[KT_ADD] = { ABC, 0 }, [KT_SUB] = { ABC, 0 }, [KT_MUL] = { ABC, 0 },
	[KT_UDIV] = { ABC, 0 }, [KT_SDIV] = { ABC, 0 }, [KT_UMOD] = { ABC, 0 },
	[KT_SMOD] = { ABC, 0 }, [KT_AND] = { ABC, 0 }, [KT_OR] = { ABC, 0 },
	[KT_XOR] = { ABC, 0 }, [KT_SHL] = { ABC, 0 }, [KT_SHR] = { ABC, 0 },
	[KT_SAR] = { ABC, 0 }, [KT_EQ] = { ABC, 0 }, [KT_NE] = { ABC, 0 },
	[KT_ULT] = { ABC, 0 }, [KT_ULE] = { ABC, 0 }, [KT_SLT] = { ABC, 0 },
	[KT_SLE] = { ABC, 0 }, [KT_ADDI] = { AB, 0 }, [KT_ANDI] = { AB, 0 },
	[KT_SHLI] = { AB, 0 }, [KT_SHRI] = { AB, 0 }, [KT_SARI] = { AB, 0 },
	[KT_EQI] = { AB, 0 }, [KT_NEI] = { AB, 0 },
	[KT_EXT] = { AB, KT_SIZE_MASK | KT_SIGNED },
	[KT_JMP] = { JUMP, 0 }, [KT_JZ] = { A | JUMP, 0 }, [KT_JNZ] = { A | JUMP, 0 },
	[KT_GET] = { A, 0 }, [KT_ARG] = { A, 0 }, [KT_REG] = { A, 0 },
	[KT_LOAD] = { AB, KT_SIZE_MASK | KT_SIGNED | KT_USER },
	[KT_LDS] = { A, KT_SIZE_MASK | KT_SIGNED }, [KT_STS] = { A, KT_SIZE_MASK },
	[KT_ZERO] = { RANGE, 0 }, [KT_DATA] = { RANGE, 0 }, [KT_COPY] = { RANGE, 0 },
	[KT_STR] = { AB | RANGE, KT_USER },
	[KT_BUF] = { AB | RANGE | WORDS, KT_USER },
	[KT_READ] = { A | RANGE, KT_USER },
	[KT_SAME] = { A, 0 },
	[KT_MGET] = { A | MAP, 0 }, [KT_MHAS] = { A | MAP, 0 },
	[KT_MGETV] = { MAP, 0 }, [KT_MSET] = { A | MAP, 0 },
	[KT_MSETV] = { MAP, 0 }, [KT_MADD] = { A | MAP, 0 },
	[KT_MDEL] = { A | MAP, 0 }, [KT_MAGG] = { A | MAP, 0 },
	[KT_STACK] = { A, KT_USER },
	[KT_EMIT] = { RANGE | WORDS, 0 },
	[KT_STRLEN] = { A | RANGE, 0 }, [KT_INDEX] = { A, 0 },
	[KT_MNEXT] = { A | MAP, 0 }, [KT_FRAMES] = { AB, 0 },
	[KT_CMP] = { A, 0 }, [KT_GLOB] = { A, 0 },
	[KT_OVERRIDE] = { A, 0 }, [KT_WATCH_ON] = { AB, 0 }, [KT_WATCH_OFF] = { A, 0 },
};

static bool in_scratch(const struct kt_vm *vm, u32 at, u32 len)
{
	return at <= vm->program->scratch && len <= vm->program->scratch - at;
}

static const char *check_register(struct kt_vm *vm, u32 number)
{
	if (number >= KT_REGS)
		return "an instruction names no register";
	if (number >= vm->regs_nr)
		vm->regs_nr = number + 1;
	return NULL;
}

static const char *check_registers(struct kt_vm *vm, const struct kt_insn *insn)
{
	u32 uses = forms[insn->op].uses;
	const char *wrong = NULL;

	if (uses & A)
		wrong = check_register(vm, insn->a);
	if (uses & B && !wrong)
		wrong = check_register(vm, insn->b);
	if (uses & C && !wrong)
		wrong = check_register(vm, insn->c);
	return wrong;
}

/* Both values of a MGETV and MSETV are whole. */
static const char *check_map_use(const struct kt_vm *vm, const struct kt_insn *insn)
{
	const struct kt_map *map = &vm->maps[insn->b];

	if (insn->b >= vm->program->maps_nr)
		return "an instruction names no map";
	if (kt_lo(insn) & 7 || !in_scratch(vm, kt_lo(insn), map->key_len))
		return "a key is not in the scratch memory";
	switch (insn->op) {
	case KT_MGET:
		if (map->kind >= KT_MAP_HIST)
			return "a histogram is no number";
		return NULL;
	case KT_MGETV:
	case KT_MSETV:
		if (map->kind != KT_MAP_VALUE)
			return "what is counted has no value to be set or got";
		if (kt_hi(insn) & 7 || !in_scratch(vm, kt_hi(insn), map->value_len))
			return "a value is not in the scratch memory";
		return NULL;
	case KT_MSET:
	case KT_MADD:
		if (map->kind != KT_MAP_VALUE || map->value_len != 8)
			return "a map's value is no number";
		return NULL;
	case KT_MAGG:
		if (map->kind == KT_MAP_VALUE)
			return "a map that has a value is not for counting";
		return NULL;
	default:
		return NULL;
	}
}

static const char *check_copy(const struct kt_vm *vm, const struct kt_insn *insn)
{
	u32 from = insn->a | insn->b << 8;

	if (!in_scratch(vm, from, kt_hi(insn)))
		return "an instruction leaves the scratch memory";
	if (from < kt_lo(insn) + kt_hi(insn) && kt_lo(insn) < from + kt_hi(insn))
		return "a copy overlaps itself";
	return NULL;
}

/* The end is one more byte; BUF's length is eight. */
static const char *check_string(const struct kt_insn *insn)
{
	return kt_hi(insn) < (insn->op == KT_BUF ? 8 : 1) ?
	       "a string has no room" : NULL;
}

static const char *check_same(const struct kt_vm *vm, const struct kt_insn *insn)
{
	u32 len = insn->b | insn->c << 8;

	return in_scratch(vm, kt_lo(insn), len) && in_scratch(vm, kt_hi(insn), len) ?
	       NULL : "an instruction leaves the scratch memory";
}

static const char *check_index(const struct kt_vm *vm, const struct kt_insn *insn)
{
	return in_scratch(vm, kt_lo(insn), 8u * insn->b) &&
	       in_scratch(vm, kt_hi(insn), 8u * insn->c) ?
	       NULL : "an instruction leaves the scratch memory";
}

static const char *check_number(s32 imm, u32 end)
{
	return imm < 0 || (u32)imm >= end ?
	       "an instruction names what does not exist" : NULL;
}

static const char *check_place(const struct kt_vm *vm, s32 imm, u32 len)
{
	return imm < 0 || !in_scratch(vm, (u32)imm, len) ?
	       "an instruction leaves the scratch memory" : NULL;
}

static const char *check_data(const struct kt_vm *vm, u32 at, u32 len)
{
	return at > vm->program->data_len || len > vm->program->data_len - at ?
	       "an instruction leaves the constants" : NULL;
}

static const char *check_emit(const struct kt_vm *vm, const struct kt_insn *insn)
{
	if ((insn->a | insn->b << 8) >= (s32)vm->program->events_nr)
		return "an instruction names no event";
	return vm->program->ring ? NULL : "there are no rings for events";
}

static const char *check_stack(const struct kt_vm *vm, const struct kt_insn *insn)
{
	return insn->imm < 1 || (u32)insn->imm > vm->program->depth ?
	       "a stack has a wrong depth" : NULL;
}

/* What only this kind of instruction has. */
static const char *check_own(const struct kt_vm *vm, const struct kt_insn *insn)
{
	switch (insn->op) {
	case KT_CONST:
		return insn->imm & 7 ? "a constant is not aligned" :
		       check_data(vm, (u32)insn->imm, 8);
	case KT_GET:
		return check_number(insn->imm, KT_GETS);
	case KT_ARG:
		return check_number(insn->imm, KT_ARGS_MAX);
	case KT_REG:
		return check_number(insn->imm, KT_HOST_REGS);
	case KT_LDS:
	case KT_STS:
		return check_place(vm, insn->imm, 1u << (insn->c & KT_SIZE_MASK));
	case KT_COMM:
		return check_place(vm, insn->imm, 16);
	case KT_DATA:
		return check_data(vm, (u32)(insn->a | insn->b << 8 | insn->c << 16),
				  kt_hi(insn));
	case KT_COPY:
		return check_copy(vm, insn);
	case KT_STR:
	case KT_BUF:
		return check_string(insn);
	case KT_SAME:
	case KT_CMP:
		return check_same(vm, insn);
	case KT_INDEX:
	case KT_GLOB:
		return check_index(vm, insn);
	case KT_STACK:
		return check_stack(vm, insn);
	case KT_EMIT:
		return check_emit(vm, insn);
	default:
		return NULL;
	}
}

static const char *check_insn(struct kt_vm *vm, const struct kt_insn *insn)
{
	u32 uses, number = (u32)(insn - vm->insns);
	const char *wrong;

	if (insn->op >= KT_OPS)
		return "an instruction does not exist";
	uses = forms[insn->op].uses;
	wrong = check_registers(vm, insn);
	if (wrong)
		return wrong;
	if (forms[insn->op].flags && insn->c & ~forms[insn->op].flags)
		return "an instruction has flags that do not exist";
	if (uses & RANGE && !in_scratch(vm, kt_lo(insn), kt_hi(insn)))
		return "an instruction leaves the scratch memory";
	if (uses & WORDS && (kt_lo(insn) | kt_hi(insn)) & 7)
		return "an instruction's memory is not aligned";
	if (uses & JUMP && (u64)((s64)number + 1 + insn->imm) >= vm->program->insns_nr)
		return "a jump leaves the program";
	return uses & MAP ? check_map_use(vm, insn) : check_own(vm, insn);
}

static const char *check_insns(struct kt_vm *vm)
{
	const struct kt_insn *last = &vm->insns[vm->program->insns_nr - 1];
	const char *wrong = NULL;
	u32 i;

	for (i = 0; i < vm->program->insns_nr && !wrong; i++)
		wrong = check_insn(vm, &vm->insns[i]);
	if (!wrong && last->op != KT_END && last->op != KT_JMP)
		wrong = "the program does not end";
	return wrong;
}

/* ------------------------------------------------------------------------------- */

const char *kt_check(const void *program, u64 len, struct kt_vm *vm)
{
	const struct kt_program *p = program;
	const char *wrong = check_head(p, len);

	wrong = wrong ? wrong : check_sections(p);
	wrong = wrong ? wrong : check_sizes(p);
	if (wrong)
		return wrong;
	*vm = (struct kt_vm){
		.program = p,
		.insns = (const void *)((const u8 *)p + p->insns),
		.maps = (const void *)((const u8 *)p + p->maps),
		.probes = (const void *)((const u8 *)p + p->probes),
		.data = (const u8 *)p + p->data,
		.names = (const char *)p + p->names,
	};
	wrong = check_probes(vm);
	wrong = wrong ? wrong : check_maps(vm);
	wrong = wrong ? wrong : check_insns(vm);
	if (wrong)
		return wrong;
	if (!kt_layout(p, &vm->layout))
		return "the program needs too much memory";
	kt_tables(vm);
	return NULL;
}
