/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * gen.c - instructions of expressions that give a number, and of conditions.
 *
 * Owns: code generation for expressions whose value fits into a register.
 *
 * What fits into a register is kept there, extended to 8 bytes by its sign.
 */
#include "check.h"

/* ---- variables and keys --------------------------------------------------------- */

void gen_set_var(struct gen *g, struct var *var, int reg)
{
	if (var->reg < 0)
		code_put_store(g, reg, var->offset, 8);
	else if (var->reg != reg)
		code_put(g, KT_MOV, var->reg, reg, 0, 0);
}

int gen_get_var(struct gen *g, struct var *var, int want)
{
	if (var->reg < 0) {
		want = code_dest(g, want);
		code_put(g, KT_LDS, want, 0, KT_SIZE_8, (int32_t)var->offset);
		return want;
	}
	if (want < 0)
		return var->reg;
	if (want != var->reg)
		code_put(g, KT_MOV, want, var->reg, 0, 0);
	return want;
}

uint32_t gen_key(struct gen *g, struct expr *e)
{
	struct map *m = e->map;
	struct trace_type keys;
	uint32_t at, to, i;

	if (!m->key_len)
		return 0;
	at = to = code_room(g, m->key_len);
	if (check_is_keys(e)) {
		keys = (struct trace_type){
			.kind = TRACE_TUPLE, .size = m->key_len, .fields_nr = m->keys_nr,
			.fields = front_alloc(g->f, m->keys_nr * sizeof(*keys.fields)),
		};
		for (i = 0; i < m->keys_nr; i++) {
			keys.fields[i] = (struct trace_field){ m->keys[i].t, to - at };
			to += ROUND8(m->keys[i].t.size);
		}
		gen_into(g, e->args[0], at, &keys);
		return at;
	}
	for (i = 0; i < m->keys_nr; i++) {
		gen_into(g, e->args[i], to, &m->keys[i].t);
		to += ROUND8(m->keys[i].t.size);
	}
	return at;
}

static int gen_map(struct gen *g, struct expr *e, int want)
{
	int temps = g->temps;
	uint32_t scratch = g->scratch, key = gen_key(g, e);

	g->temps = temps;
	g->scratch = scratch;
	want = code_dest(g, want);
	code_put(g, KT_MGET, want, (int)e->map->number, 0, code_halves(key, 0));
	return want;
}

/* ---- numbers --------------------------------------------------------- */

/* One bit is set: which. */
static int power(int64_t value)
{
	return value > 0 && !(value & (value - 1)) ?
	       __builtin_ctzll((uint64_t)value) : -1;
}

int gen_operator(struct gen *g, int op, bool is_unsigned, int a, int b, int want)
{
	static const struct {
		int op, is_signed, is_unsigned;
		bool swap;
	} ops[] = {
		{ '+', KT_ADD, KT_ADD, false }, { '-', KT_SUB, KT_SUB, false },
		{ '*', KT_MUL, KT_MUL, false }, { '/', KT_SDIV, KT_UDIV, false },
		{ '%', KT_SMOD, KT_UMOD, false }, { '&', KT_AND, KT_AND, false },
		{ '|', KT_OR, KT_OR, false }, { '^', KT_XOR, KT_XOR, false },
		{ P_SHL, KT_SHL, KT_SHL, false }, { P_SHR, KT_SAR, KT_SHR, false },
		{ P_EQ, KT_EQ, KT_EQ, false }, { P_NE, KT_NE, KT_NE, false },
		{ '<', KT_SLT, KT_ULT, false }, { P_LE, KT_SLE, KT_ULE, false },
		{ '>', KT_SLT, KT_ULT, true }, { P_GE, KT_SLE, KT_ULE, true },
	};
	size_t i;

	for (i = 0; ops[i].op != op; i++)
		;
	code_put(g, is_unsigned ? ops[i].is_unsigned : ops[i].is_signed, want,
		 ops[i].swap ? b : a, ops[i].swap ? a : b, 0);
	return want;
}

/* a op b, where b is a constant that an instruction has room for. */
static bool gen_immediate(struct gen *g, struct expr *e, int a, int64_t b, int want)
{
	bool is_unsigned = !e->type.t.sign;
	int op = -1, bit = power(b);

	switch (e->op) {
	case '+': op = KT_ADDI; break;
	case '-': op = KT_ADDI; b = (int64_t)-(uint64_t)b; break;
	case '&':
		if (b == UINT32_MAX) {
			code_put(g, KT_EXT, want, a, KT_SIZE_4, 0);
			return true;
		}
		op = KT_ANDI;
		break;
	case P_SHL: op = KT_SHLI; b &= 63; break;
	case P_SHR: op = is_unsigned ? KT_SHRI : KT_SARI; b &= 63; break;
	case P_EQ: op = KT_EQI; break;
	case P_NE: op = KT_NEI; break;
	case '*':
		op = bit >= 0 ? KT_SHLI : -1;
		b = bit;
		break;
	case '/':
		op = bit >= 0 && is_unsigned ? KT_SHRI : -1;
		b = bit;
		break;
	case '%':
		op = bit >= 0 && is_unsigned ? KT_ANDI : -1;
		b--;
		break;
	default:
		break;
	}
	if (op < 0 || !gen_fits(b))
		return false;
	code_put(g, op, want, a, 0, (int32_t)b);
	return true;
}

/*
 * e's two values.  When registers run out, the first one waits in scratch memory:
 * two are always left for that.
 */
static void gen_both(struct gen *g, struct expr *ea, struct expr *eb, int *a, int *b)
{
	int temps = g->temps;
	uint32_t at;

	if (temps + 2 < KT_REGS) {
		*a = gen_value(g, ea, -1);
		if (*a < g->vars && eb->steps) {
			int copy = code_temp(g);

			code_put(g, KT_MOV, copy, *a, 0, 0);
			*a = copy;
		}
		*b = gen_value(g, eb, -1);
		return;
	}
	at = code_room(g, 8);
	*a = gen_value(g, ea, -1);
	code_put_store(g, *a, at, 8);
	g->temps = temps;
	*b = gen_value(g, eb, -1);
	*a = code_temp(g);
	code_put(g, KT_LDS, *a, 0, KT_SIZE_8, (int32_t)at);
}

/* In steps of what the pointer points to. */
void gen_steps(struct gen *g, struct expr *number, const struct type *pointer, int reg)
{
	const struct ctype *to = type_to(g->f, pointer);
	uint64_t size = to && to->size ? to->size : 1;
	int temps = g->temps, by;

	gen_value(g, number, reg);
	if (power((int64_t)size) > 0) {
		code_put(g, KT_SHLI, reg, reg, 0, power((int64_t)size));
	} else if (size > 1) {
		by = code_temp(g);
		code_put_number(g, by, (int64_t)size);
		code_put(g, KT_MUL, reg, reg, by, 0);
	}
	g->temps = temps;
}

/* A pointer, a number in steps of what it points to. */
static int gen_pointer(struct gen *g, struct expr *e, int want)
{
	struct expr *pointer = e->a->type.t.kind == TRACE_POINTER ? e->a : e->b;
	struct expr *number = pointer == e->a ? e->b : e->a;
	const struct ctype *to = type_to(g->f, &pointer->type);
	uint64_t size = to && to->size ? to->size : 1;
	int64_t by;
	int temps = g->temps, a, b;

	if (code_constant(number, &by)) {
		by = (int64_t)((uint64_t)by * size);
		if (e->op == '-')
			by = (int64_t)-(uint64_t)by;
		if (gen_fits(by)) {
			a = gen_value(g, pointer, -1);
			g->temps = temps;
			want = code_dest(g, want);
			code_put(g, KT_ADDI, want, a, 0, (int32_t)by);
			return want;
		}
	}
	b = code_temp(g);
	gen_steps(g, number, &pointer->type, b);
	a = gen_value(g, pointer, -1);
	g->temps = temps;
	want = code_dest(g, want);
	code_put(g, e->op == '-' ? KT_SUB : KT_ADD, want, a, b, 0);
	return want;
}

static int gen_same(struct gen *g, struct expr *e, int want)
{
	uint32_t scratch = g->scratch, a, b, n;

	n = e->a->type.t.size < e->b->type.t.size ? e->a->type.t.size :
	    e->b->type.t.size;
	a = gen_wide_place(g, e->a);
	b = gen_wide_place(g, e->b);
	g->scratch = scratch;
	want = code_dest(g, want);
	code_put(g, KT_SAME, want, (int)(n & 255), (int)(n >> 8), code_halves(a, b));
	if (e->op == P_NE)
		code_put(g, KT_EQI, want, want, 0, 0);
	return want;
}

/* Tuples, arrays and structures: padded with zeros, so equal values are equal bytes. */
static int gen_same_bytes(struct gen *g, struct expr *e, int want)
{
	uint32_t scratch = g->scratch, a, b, n;
	struct type both;

	check_both(g->f, e, &both);
	n = both.t.kind == TRACE_RECORD ? (uint32_t)both.t.c->size : both.t.size;
	a = code_room(g, both.t.size);
	b = code_room(g, both.t.size);
	gen_into(g, e->a, a, &both.t);
	gen_into(g, e->b, b, &both.t);
	g->scratch = scratch;
	want = code_dest(g, want);
	code_put(g, KT_CMP, want, (int)(n & 255), (int)(n >> 8), code_halves(a, b));
	code_put(g, e->op == P_EQ ? KT_EQI : KT_NEI, want, want, 0, 0);
	return want;
}

/* 1 or 0, of what conditions are made of. */
static int gen_truth(struct gen *g, struct expr *e, int want)
{
	struct jumps *no = NULL;
	int temps = g->temps, reg;

	gen_condition(g, e, false, &no);
	g->temps = temps;
	reg = code_temp(g);
	code_put(g, KT_MOVI, reg, 0, 0, 1);
	code_put(g, KT_JMP, 0, 0, 0, 1);
	code_jumps_here(g, no);
	code_put(g, KT_MOVI, reg, 0, 0, 0);
	if (want < 0)
		return reg;
	code_put(g, KT_MOV, want, reg, 0, 0);
	return want;
}

static int gen_binary(struct gen *g, struct expr *e, int want)
{
	int temps = g->temps, a, b;
	int64_t value;

	if (e->op == P_AND || e->op == P_OR)
		return gen_truth(g, e, want);
	if (e->a->type.t.kind == TRACE_STRING)
		return gen_same(g, e, want);
	if ((int)e->a->type.t.kind >= TRACE_RECORD || e->a->type.t.kind == TRACE_INET)
		return gen_same_bytes(g, e, want);
	if (e->type.t.kind == TRACE_POINTER)
		return gen_pointer(g, e, want);
	if (code_constant(e->b, &value)) {
		a = gen_value(g, e->a, -1);
		g->temps = temps;
		b = code_dest(g, want);
		if (gen_immediate(g, e, a, value, b))
			return b;
		g->temps = temps;
		if (a == temps)
			code_temp(g);
		b = code_temp(g);
		code_put_number(g, b, value);
	} else {
		gen_both(g, e->a, e->b, &a, &b);
	}
	g->temps = temps;
	want = code_dest(g, want);
	return gen_operator(g, e->op, e->op == '/' || e->op == '%' || e->op == P_SHR ?
			    !e->type.t.sign : e->is_unsigned, a, b, want);
}

static int gen_unary(struct gen *g, struct expr *e, int want)
{
	int temps = g->temps, a, zero;

	if (e->op == '*')
		return gen_load(g, e, want);
	if (e->op == '&')
		return gen_address_of(g, e->a, want);
	a = gen_value(g, e->a, -1);
	if (e->op == '!') {
		g->temps = temps;
		want = code_dest(g, want);
		code_put(g, KT_EQI, want, a, 0, 0);
		return want;
	}
	zero = code_temp(g);
	code_put(g, KT_MOVI, zero, 0, 0, e->op == '~' ? -1 : 0);
	g->temps = temps;
	want = code_dest(g, want);
	code_put(g, e->op == '~' ? KT_XOR : KT_SUB, want, zero, a, 0);
	return want;
}

static int gen_ternary(struct gen *g, struct expr *e, int want)
{
	struct jumps *no = NULL, *end = NULL;
	int temps = g->temps, reg;

	gen_condition(g, e->a, false, &no);
	g->temps = temps;
	reg = code_temp(g);
	gen_value(g, e->b, reg);
	code_jump(g, &end, KT_JMP, 0);
	code_jumps_here(g, no);
	gen_value(g, e->c, reg);
	code_jumps_here(g, end);
	if (want < 0)
		return reg;
	code_put(g, KT_MOV, want, reg, 0, 0);
	return want;
}

/* The bytes of an array, as a number. */
static int gen_cast_array(struct gen *g, struct expr *e, int want)
{
	int how = code_size(e->type.t.size) | (e->type.t.sign && e->type.t.size < 8 ? KT_SIGNED : 0);
	int temps = g->temps, reg;
	uint32_t scratch = g->scratch, at;

	if (e->a->type.t.kind == TRACE_RECORD) {
		at = gen_wide_place(g, e->a);
		g->scratch = scratch;
		want = code_dest(g, want);
		code_put(g, KT_LDS, want, 0, how, (int32_t)at);
		return want;
	}
	reg = gen_address(g, e->a, -1);
	g->temps = temps;
	want = code_dest(g, want);
	code_put(g, KT_LOAD, want, reg, how | (e->a->type.user ? KT_USER : 0), 0);
	return want;
}

static int gen_cast(struct gen *g, struct expr *e, int want)
{
	const struct type *from = &e->a->type, *to = &e->type;
	int temps = g->temps, a;

	if (from->t.kind == TRACE_RECORD || ((int)from->t.kind == TYPE_ARRAY &&
					     to->t.kind == TRACE_INT))
		return gen_cast_array(g, e, want);
	if ((int)from->t.kind >= TYPE_STRUCT)
		return gen_address(g, e->a, want);
	if (to->t.kind == TRACE_BOOL) {
		a = gen_value(g, e->a, -1);
		g->temps = temps;
		want = code_dest(g, want);
		code_put(g, KT_NEI, want, a, 0, 0);
		return want;
	}
	if (to->t.size == 8 || (from->t.kind == TRACE_INT &&
				from->t.size < to->t.size && !from->t.sign))
		return gen_value(g, e->a, want);
	a = gen_value(g, e->a, -1);
	g->temps = temps;
	want = code_dest(g, want);
	code_put(g, KT_EXT, want, a, code_size(to->t.size) |
		 (to->t.sign ? KT_SIGNED : 0), 0);
	return want;
}

static int gen_step_map(struct gen *g, struct expr *e, int by, int want)
{
	uint32_t scratch = g->scratch, key = gen_key(g, e->a);
	int temps = g->temps, reg = code_temp(g);

	g->scratch = scratch;
	code_put(g, KT_MOVI, reg, 0, 0, by);
	code_put(g, KT_MADD, reg, (int)e->a->map->number, 0, code_halves(key, 0));
	if (want < 0 && e->post)
		return reg;
	g->temps = temps;
	want = code_dest(g, want);
	if (e->post)
		code_put(g, KT_MOV, want, reg, 0, 0);
	else
		code_put(g, KT_ADDI, want, reg, 0, by);
	return want;
}

static int gen_step(struct gen *g, struct expr *e, int want)
{
	const struct ctype *to = type_to(g->f, &e->a->type);
	int by = to && to->size && to->size < INT32_MAX ? (int)to->size : 1;
	int temps = g->temps, reg, old;

	by = e->op == P_INC ? by : -by;
	if (e->a->kind == E_MAP)
		return gen_step_map(g, e, by, want);
	if (!e->post && e->a->var->reg >= 0) {
		code_put(g, KT_ADDI, e->a->var->reg, e->a->var->reg, 0, by);
		return gen_get_var(g, e->a->var, want);
	}
	old = code_dest(g, want);
	gen_get_var(g, e->a->var, old);
	if (!e->post) {
		code_put(g, KT_ADDI, old, old, 0, by);
		gen_set_var(g, e->a->var, old);
		return old;
	}
	reg = code_temp(g);
	code_put(g, KT_ADDI, reg, old, 0, by);
	gen_set_var(g, e->a->var, reg);
	g->temps = old >= temps ? old + 1 : temps;
	return old;
}

/* Its statements give back what they took; nothing that is in the making is disturbed. */
static int gen_block(struct gen *g, struct expr *e, int want)
{
	g->ways->stmts(g, e->body);
	return e->a ? gen_value(g, e->a, want) : code_dest(g, want);
}

int gen_value(struct gen *g, struct expr *e, int want)
{
	int64_t value;

	if (code_constant(e, &value)) {
		want = code_dest(g, want);
		code_put_number(g, want, value);
		return want;
	}
	switch (e->kind) {
	case E_VAR: return gen_get_var(g, e->var, want);
	case E_MAP: return gen_map(g, e, want);
	case E_NAME: return e->arg ? gen_field(g, e, want) :
			    builtin_gen(g, e, want);
	case E_CALL: return e->call->gen(g, e, want);
	case E_UNARY: return gen_unary(g, e, want);
	case E_BINARY: return gen_binary(g, e, want);
	case E_TERNARY: return gen_ternary(g, e, want);
	case E_CAST: return gen_cast(g, e, want);
	case E_STEP: return gen_step(g, e, want);
	case E_BLOCK: return gen_block(g, e, want);
	case E_FIELD:
	case E_INDEX: return gen_field(g, e, want);
	default: return gen_load(g, e, want);
	}
}

/* ---- conditions --------------------------------------------------------- */

static void gen_both_conditions(struct gen *g, struct expr *e, bool when,
				struct jumps **list)
{
	struct jumps *over = NULL;

	/* a && b jumps if false when a is; if true not before b. */
	if ((e->op == P_AND) == when) {
		gen_condition(g, e->a, !when, &over);
		gen_condition(g, e->b, when, list);
		code_jumps_here(g, over);
	} else {
		gen_condition(g, e->a, when, list);
		gen_condition(g, e->b, when, list);
	}
}

void gen_condition(struct gen *g, struct expr *e, bool when, struct jumps **list)
{
	int temps = g->temps, reg;
	uint32_t scratch = g->scratch;
	int64_t zero;

	if (e->kind == E_UNARY && e->op == '!') {
		gen_condition(g, e->a, !when, list);
		return;
	}
	if (e->kind == E_BINARY && (e->op == P_AND || e->op == P_OR)) {
		gen_both_conditions(g, e, when, list);
		return;
	}
	if (e->kind == E_BINARY && (e->op == P_EQ || e->op == P_NE) &&
	    type_is_number(&e->a->type) && code_constant(e->b, &zero) && !zero) {
		when = e->op == P_NE ? when : !when;
		e = e->a;
	}
	reg = gen_value(g, e, -1);
	code_jump(g, list, when ? KT_JNZ : KT_JZ, reg);
	g->temps = temps;
	g->scratch = scratch;
}
