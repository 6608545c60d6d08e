// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * plan.c - clauses that are simple enough to run without the virtual machine.
 *
 * Owns: kt_plans().  Each clause is walked with the contents of registers and scratch memory as
 * unknown values.  If a jump depends on one, the walk continues at both targets.  If the walk
 * meets more than values, one addition to a map and then the end, the machine has to run.
 *
 * Invariant: a plan does what kt_run() would do, for any hit that has registers.  A step leads
 * only to later ones, so deciding terminates.
 */
#include "vm.h"

#define REGS	8		/* that are followed; programs with more are run */
#define WORDS	8		/* of the scratch memory */
#define INSNS	64		/* from one decision to the next */

/*
 * What a register or word holds: a source's value; with test, whether that lies from
 * low on within span (kt_step), or the contrary, 1 or 0.
 */
struct value {
	u8 from, how;
	bool test, not;
	u64 low, span;
};

struct state {
	struct value r[REGS], s[WORDS];
	const struct kt_insn *insn;
};

static const struct value zero = { .from = KT_FROM_CONST, .how = KT_SIZE_8 };

static bool is_const(const struct value *v)
{
	return v->from == KT_FROM_CONST;
}

static bool is_plain(const struct value *v)
{
	return !v->test;
}

static struct value constant(u64 number)
{
	struct value v = zero;

	v.low = number;
	return v;
}

/* ---- tests -------------------------------------------------------------------- */

/* Is what is in v, if anything is tested already the outcome of that, within a span? */
static bool test(struct value *v, u64 low, u64 span)
{
	if (v->test || is_const(v))
		return false;
	/* Of a part only whether it is one number: that is so where it is shifted, too. */
	if (v->how != KT_SIZE_8 && (span || kt_extend(low, v->how) != low))
		return false;
	v->test = true;
	v->low = low;
	v->span = span;
	return true;
}

static bool test_equal(struct value *v, u64 number, bool not)
{
	/* Of a truth: is it that? */
	if (v->test && !number)
		v->not = !v->not;
	else if (v->test || !test(v, number, 0))
		return false;
	v->not ^= not;
	return true;
}

/* v < limit, or <=; the numbers that are less than all others begin at low. */
static bool test_less(struct value *v, u64 limit, bool or_same, u64 low)
{
	if (!or_same && limit == low)
		return false;
	return test(v, low, limit - low - !or_same);
}

/* One of both is a constant. */
static bool compare(const struct kt_insn *i, struct value *a, struct value *b)
{
	bool is_signed = i->op == KT_SLT || i->op == KT_SLE;
	bool or_same = i->op == KT_ULE || i->op == KT_SLE;
	u64 low = is_signed ? 1ull << 63 : 0, number;

	if (i->op == KT_EQ || i->op == KT_NE) {
		if (is_const(a))
			return is_plain(a) && test_equal(b, a->low, i->op == KT_NE);
		return is_plain(b) && is_const(b) &&
		       test_equal(a, b->low, i->op == KT_NE);
	}
	if (is_const(b))
		return is_plain(b) && test_less(a, b->low, or_same, low);
	if (!is_const(a) || !is_plain(a))
		return false;
	/* number < b is not b <= number. */
	number = a->low;
	if (!test_less(b, number, !or_same, low))
		return false;
	b->not = true;
	return true;
}

/* ---- one instruction ---------------------------------------------------------- */

static bool get(const struct kt_insn *i, struct value *to)
{
	*to = zero;
	to->from = (u8)(KT_FROM_GET + i->imm);
	return i->imm != KT_GET_RANDOM;
}

static bool extended(const struct kt_insn *i, struct value *v)
{
	if (!is_plain(v) || v->how != KT_SIZE_8)
		return false;
	if (is_const(v))
		v->low = kt_extend(v->low, i->c);
	else
		v->how = i->c;
	return true;
}

/* The register that it writes gets what is in *to then.  False: the machine has to. */
static bool compute(const struct kt_vm *vm, const struct state *st,
		    const struct kt_insn *i, struct value *to)
{
	struct value b = st->r[i->b % REGS], c = st->r[i->c % REGS];

	*to = b;
	switch ((enum kt_op)i->op) {
	case KT_MOV:
		return i->b < REGS;
	case KT_MOVI:
		*to = constant((u64)(s64)i->imm);
		return true;
	case KT_CONST:
		*to = constant(*(const u64 *)(vm->data + i->imm));
		return true;
	case KT_ARG:
		*to = zero;
		to->from = (u8)i->imm;
		return (u32)i->imm < KT_FROM_ARGS;
	case KT_GET:
		return get(i, to);
	case KT_EXT:
		return i->b < REGS && extended(i, to);
	case KT_EQI:
	case KT_NEI:
		return i->b < REGS && test_equal(to, (u64)(s64)i->imm, i->op == KT_NEI);
	case KT_EQ: case KT_NE: case KT_ULT: case KT_ULE: case KT_SLT: case KT_SLE:
		if (i->b >= REGS || i->c >= REGS || !compare(i, &b, &c))
			return false;
		*to = b.test ? b : c;
		return true;
	case KT_LDS:
		if (i->imm % 8 || i->imm / 8 >= WORDS || (i->c & KT_SIZE_MASK) != KT_SIZE_8)
			return false;
		*to = st->s[i->imm / 8];
		return true;
	default:
		return false;
	}
}

static bool store(struct state *st, const struct kt_insn *i)
{
	if (i->a >= REGS || i->imm % 8 || i->imm / 8 >= WORDS || i->c != KT_SIZE_8)
		return false;
	st->s[i->imm / 8] = st->r[i->a];
	return true;
}

/* ---- the ends ----------------------------------------------------------------- */

static bool source(const struct value *v, struct kt_source *source)
{
	*source = (struct kt_source){ v->from, v->how, is_const(v) ? v->low : 0 };
	return is_plain(v);
}

static bool same_source(const struct kt_source *a, const struct kt_source *b)
{
	return a->from == b->from && a->how == b->how && a->number == b->number;
}

static bool same(const struct kt_addition *a, const struct kt_addition *b)
{
	u32 i;

	for (i = 0; i < a->words; i++)
		if (!same_source(&a->key[i], &b->key[i]))
			return false;
	return a->map == b->map && a->words == b->words &&
	       same_source(&a->value, &b->value);
}

/* The next instruction is followed by the end, jumps or not. */
static bool is_last(const struct kt_vm *vm, const struct kt_insn *i)
{
	u32 nr;

	for (i++, nr = 0; nr < INSNS && i->op == KT_JMP && i->imm >= 0; nr++)
		i += 1 + i->imm;
	return i < vm->insns + vm->program->insns_nr && i->op == KT_END;
}

static bool is_argument(const struct kt_addition *add)
{
	const struct kt_source *key = &add->key[0];

	return !add->words || (add->words == 1 && key->from < KT_FROM_ARGS &&
			       key->how == KT_SIZE_8);
}

/* One addition, the same wherever it is come to. */
static u8 addition(const struct kt_vm *vm, const struct state *st,
		   const struct kt_insn *i, struct kt_plan *plan)
{
	const struct kt_map *map = &vm->maps[i->b];
	struct kt_addition add = { .map = i->b, .words = (u8)(map->key_len / 8) };
	u32 at = kt_lo(i) / 8, word;

	if (map->key_len > 8 * KT_PLAN_WORDS || at + add.words > WORDS ||
	    i->a >= REGS || !is_last(vm, i))
		return KT_PLAN_RUN;
	for (word = 0; word < add.words; word++)
		if (!source(&st->s[at + word], &add.key[word]))
			return KT_PLAN_RUN;
	/* A count does not look at it. */
	if (map->kind == KT_MAP_COUNT) {
		source(&zero, &add.value);
		add.counts = is_argument(&add);
	} else if (!source(&st->r[i->a], &add.value)) {
		return KT_PLAN_RUN;
	}
	if (plan->adds && !same(&plan->add, &add))
		return KT_PLAN_RUN;
	plan->add = add;
	plan->adds = true;
	return KT_PLAN_ADD;
}

/* ---- the walk ----------------------------------------------------------------- */

static u8 walk(const struct kt_vm *vm, const struct state *from, struct kt_plan *plan);

/* Where a jump depends on what is not known. */
static u8 decide(const struct kt_vm *vm, struct state *st, const struct kt_insn *i,
		 struct kt_plan *plan)
{
	const struct kt_insn *other = i + 1 + i->imm;
	struct value *v = &st->r[i->a];
	u8 number = plan->steps_nr, yes, no;
	u32 unused;

	if (number == KT_PLAN_STEPS || i->imm < 0)
		return KT_PLAN_RUN;
	/* Is it not 0? */
	if (!v->test && !test_equal(v, 0, true))
		return KT_PLAN_RUN;
	unused = 64 - (8u << (v->how & KT_SIZE_MASK));
	plan->steps_nr++;
	plan->steps[number] = (struct kt_step){
		.from = v->from, .shift = (u8)unused,
		.low = v->low << unused, .span = v->span,
	};
	st->insn = i->op == KT_JZ ? i + 1 : other;
	yes = walk(vm, st, plan);
	st->insn = i->op == KT_JZ ? other : i + 1;
	no = walk(vm, st, plan);
	plan->steps[number].yes = v->not ? no : yes;
	plan->steps[number].no = v->not ? yes : no;
	return number;
}

static u8 walk(const struct kt_vm *vm, const struct state *from, struct kt_plan *plan)
{
	struct state st = *from;
	const struct kt_insn *i = st.insn, *end = vm->insns + vm->program->insns_nr;
	struct value v;
	u32 nr;

	for (nr = 0; nr < INSNS && i < end; nr++, i++) {
		switch ((enum kt_op)i->op) {
		case KT_END:
			return KT_PLAN_END;
		case KT_MAGG:
			return addition(vm, &st, i, plan);
		case KT_JMP:
			if (i->imm < 0)
				return KT_PLAN_RUN;
			i += i->imm;
			continue;
		case KT_STS:
			if (!store(&st, i))
				return KT_PLAN_RUN;
			continue;
		case KT_JZ:
		case KT_JNZ:
			if (i->a >= REGS)
				return KT_PLAN_RUN;
			v = st.r[i->a];
			if (!is_const(&v))
				return decide(vm, &st, i, plan);
			if ((i->op == KT_JZ) != !v.low)
				continue;
			if (i->imm < 0)
				return KT_PLAN_RUN;
			i += i->imm;
			continue;
		default:
			if (i->a >= REGS || !compute(vm, &st, i, &v))
				return KT_PLAN_RUN;
			st.r[i->a] = v;
		}
	}
	return KT_PLAN_RUN;
}

static bool is_planned(const struct kt_vm *vm, u32 first)
{
	u32 i;

	for (i = 0; i < vm->plans_nr; i++)
		if (vm->plans[i].first == first)
			return true;
	return false;
}

static void plan_clause(struct kt_vm *vm, u32 first)
{
	struct kt_plan *plan = &vm->plans[vm->plans_nr];
	struct state st = { .insn = vm->insns + first };
	u32 i;

	for (i = 0; i < REGS; i++)
		st.r[i] = zero;
	for (i = 0; i < WORDS; i++)
		st.s[i] = zero;
	*plan = (struct kt_plan){ .first = first };
	plan->entry = walk(vm, &st, plan);
	vm->plans_nr++;
}

void kt_plans(struct kt_vm *vm)
{
	u32 i, last = ~0u, first;

	/* Those of a wildcard stand beside each other. */
	for (i = 0; i < vm->program->probes_nr && vm->plans_nr < KT_PLANS; i++) {
		first = vm->probes[i].first;
		if (first != last && !is_planned(vm, first))
			plan_clause(vm, first);
		last = first;
	}
}

bool kt_plan_filters(const struct kt_plan *plan)
{
	bool filters = false;
	u32 i;

	for (i = 0; i < plan->steps_nr; i++) {
		const struct kt_step *step = &plan->steps[i];

		if (step->from >= KT_FROM_ARGS)
			return false;
		filters |= step->yes == KT_PLAN_END || step->no == KT_PLAN_END;
	}
	return filters;
}

bool kt_plan_range(const struct kt_plan *plan, struct kt_range *range)
{
	const struct kt_step *step = &plan->steps[0];

	*range = (struct kt_range){ step->low, step->span };
	if (plan->steps_nr != 1 || step->shift || !kt_plan_filters(plan))
		return false;
	if (step->no == KT_PLAN_END)
		return step->yes != KT_PLAN_END;
	/* All others, which follow each other, too. */
	*range = (struct kt_range){ step->low + step->span + 1, ~step->span - 1 };
	return ~step->span;
}

const struct kt_plan *kt_plan_of(const struct kt_vm *vm, u32 first)
{
	static const struct kt_plan none = { .entry = KT_PLAN_RUN };
	u32 i;

	for (i = 0; i < vm->plans_nr; i++)
		if (vm->plans[i].first == first)
			return &vm->plans[i];
	return &none;
}
