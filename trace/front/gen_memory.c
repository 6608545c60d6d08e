/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * gen_memory.c - code generation for loads: fields, elements, arguments.
 *
 * Owns: code generation for loads.  Offsets are added up here, so a->b.c[2] is one instruction
 * after a's.
 */
#include "check.h"

/* Memory: what register reg points to, + offset. */
struct memory {
	int reg;
	int64_t offset;
	bool user;
};

static struct memory gen_memory(struct gen *g, struct expr *e);

/* Within a record: how far from its begin. */
static void gen_located(struct gen *g, const struct trace_arg *arg, int want)
{
	int temps = g->temps, far = code_temp(g);

	code_put(g, KT_ARG, want, 0, 0, (int32_t)arg->value);
	code_put(g, KT_LOAD, far, want, KT_SIZE_2, (int32_t)arg->offset);
	code_put(g, KT_ADD, want, want, far, 0);
	g->temps = temps;
}

static int gen_arg_value(struct gen *g, const struct trace_arg *arg, int want)
{
	want = code_dest(g, want);
	switch (arg->kind) {
	case TRACE_ARG_NUMBER:
	case TRACE_ARG_CONTEXT:
		code_put(g, KT_ARG, want, 0, 0, (int32_t)arg->value);
		break;
	case TRACE_ARG_LOCATED:
		gen_located(g, arg, want);
		break;
	case TRACE_ARG_REGISTER:
		code_put(g, KT_REG, want, 0, 0, (int32_t)arg->value);
		break;
	case TRACE_ARG_CONSTANT:
	case TRACE_ARG_MEMORY:
		code_put_number(g, want, arg->value);
		break;
	case TRACE_ARG_RETURN:
		code_put(g, KT_GET, want, 0, 0, KT_GET_RETVAL);
		break;
	case TRACE_ARG_NOTED:
		code_put(g, KT_LDS, want, 0, KT_SIZE_8, (int32_t)g->v->noted);
		break;
	case TRACE_ARG_ELEMENTS:	/* refused before, both */
	case TRACE_ARG_NOWHERE:
		break;
	}
	return want;
}

static bool arg_in_memory(const struct trace_arg *arg)
{
	return arg->kind == TRACE_ARG_CONTEXT || arg->kind == TRACE_ARG_MEMORY ||
	       (arg->kind == TRACE_ARG_REGISTER && arg->deref);
}

static struct memory gen_arg_memory(struct gen *g, struct expr *e)
{
	const struct trace_arg *arg = e->arg;

	if (!arg_in_memory(arg))
		front_fail(g->f, e->pos, "%s is in registers here, not in memory: its "
			   "parts cannot be read", arg->name);
	return (struct memory){ gen_arg_value(g, arg, -1), arg->offset,
				!g->v->kernel };
}

static struct memory gen_index(struct gen *g, struct expr *e)
{
	uint64_t size = type_to(g->f, &e->a->type)->size;
	struct memory m;
	int64_t index;
	int reg, by;

	if ((int)e->a->type.t.kind == TYPE_ARRAY)
		m = gen_memory(g, e->a);
	else
		m = (struct memory){ g->ways->value(g, e->a, -1), 0, e->a->type.user };
	if (code_constant(e->b, &index)) {
		m.offset = (int64_t)((uint64_t)m.offset + (uint64_t)index * size);
		return m;
	}
	reg = code_temp(g);
	g->ways->value(g, e->b, reg);
	if (size > 1) {
		by = code_temp(g);
		code_put_number(g, by, (int64_t)size);
		code_put(g, KT_MUL, reg, reg, by, 0);
	}
	code_put(g, KT_ADD, reg, reg, m.reg, 0);
	m.reg = reg;
	return m;
}

/* e is a structure, an array, or a part of one. */
static struct memory gen_memory(struct gen *g, struct expr *e)
{
	struct memory m;

	if (e->arg)
		return gen_arg_memory(g, e);
	if (e->kind == E_FIELD && e->op == '.') {
		m = gen_memory(g, e->a);
		m.offset += e->value;
		return m;
	}
	if (e->kind == E_FIELD)
		return (struct memory){ g->ways->value(g, e->a, -1), e->value,
					e->a->type.user };
	if (e->kind == E_INDEX)
		return gen_index(g, e);
	if (e->kind == E_UNARY)
		e = e->a;
	return (struct memory){ g->ways->value(g, e, -1), 0, e->type.user };
}

static bool is_memory(const struct expr *e)
{
	if (e->arg)
		return arg_in_memory(e->arg);
	if (e->kind == E_FIELD)
		return e->a->type.t.kind != TRACE_TUPLE && e->a->type.t.kind != TRACE_RECORD;
	return (e->kind == E_INDEX && e->a->type.t.kind != TRACE_RECORD &&
		e->a->type.t.kind != TRACE_STRING) || (e->kind == E_UNARY && e->op == '*');
}

/* The offset fits into an instruction then. */
static struct memory gen_near(struct gen *g, struct expr *e)
{
	struct memory m = gen_memory(g, e);
	int reg;

	if (gen_fits(m.offset))
		return m;
	reg = code_temp(g);
	code_put_number(g, reg, m.offset);
	code_put(g, KT_ADD, reg, reg, m.reg, 0);
	m.reg = reg;
	m.offset = 0;
	return m;
}

int gen_address(struct gen *g, struct expr *e, int want)
{
	if ((int)e->type.t.kind < TYPE_STRUCT && e->type.t.kind != TRACE_STRING)
		return g->ways->value(g, e, want);
	if (!is_memory(e))
		return g->ways->value(g, e, want);
	return gen_address_of(g, e, want);
}

int gen_address_of(struct gen *g, struct expr *e, int want)
{
	int temps = g->temps;
	struct memory m = gen_near(g, e);

	if (want < 0 && !m.offset)
		return m.reg;
	g->temps = temps;
	want = code_dest(g, want);
	if (m.offset)
		code_put(g, KT_ADDI, want, m.reg, 0, (int32_t)m.offset);
	else
		code_put(g, KT_MOV, want, m.reg, 0, 0);
	return want;
}

/* A number in the bit-field that register want holds from its lowest bit on. */
static void gen_cut_bits(struct gen *g, const struct cfield *field, int want)
{
	uint32_t end = field->bit + field->bits;

	if (end > 64 || field->bits == 64)
		return;
	code_put(g, KT_SHLI, want, want, 0, (int32_t)(64 - end));
	code_put(g, field->type->sign ? KT_SARI : KT_SHRI, want, want, 0,
		 (int32_t)(64 - field->bits));
}

static int gen_bits(struct gen *g, const struct cfield *field, struct memory m,
		    int want)
{
	uint32_t end = field->bit + field->bits;
	uint32_t size = end <= 8 ? 1 : end <= 16 ? 2 : end <= 32 ? 4 : 8;

	code_put(g, KT_LOAD, want, m.reg, code_size(size) | (m.user ? KT_USER : 0),
		 (int32_t)m.offset);
	gen_cut_bits(g, field, want);
	return want;
}

/* Of all sizes 8 is what a script computes with; in memory a pointer may have another. */
static int load_code(const struct type *t, bool user)
{
	bool pointer = t->t.kind == TRACE_POINTER && t->t.c;

	return code_size(pointer ? (uint32_t)t->t.c->size : t->t.size) | (user ? KT_USER : 0) |
	       (t->t.sign && t->t.size < 8 ? KT_SIGNED : 0);
}

int gen_load(struct gen *g, struct expr *e, int want)
{
	int temps = g->temps;
	struct memory m;

	if ((int)e->type.t.kind >= TYPE_STRUCT)
		return gen_address(g, e, want);
	m = gen_near(g, e);
	g->temps = temps;
	want = code_dest(g, want);
	if (e->kind == E_FIELD && !e->arg && e->field->bits)
		return gen_bits(g, e->field, m, want);
	code_put(g, KT_LOAD, want, m.reg, load_code(&e->type, m.user),
		 (int32_t)m.offset);
	return want;
}

/* A number in what was copied. */
static int gen_part(struct gen *g, struct expr *e, int want)
{
	uint32_t at = g->ways->wide_place(g, e->a) + (uint32_t)e->value;
	const struct cfield *field = e->kind == E_FIELD ? e->field : NULL;
	uint32_t end = field ? field->bit + field->bits : 0;

	want = code_dest(g, want);
	if (field && field->bits) {
		code_put(g, KT_LDS, want, 0, code_size(end <= 8 ? 1 : end <= 16 ? 2 :
						       end <= 32 ? 4 : 8), (int32_t)at);
		gen_cut_bits(g, field, want);
		return want;
	}
	code_put(g, KT_LDS, want, 0, load_code(&e->type, false), (int32_t)at);
	return want;
}

/* A field of a tuple, or an argument by its name. */
int gen_field(struct gen *g, struct expr *e, int want)
{
	uint32_t at;

	if (is_memory(e))
		return gen_load(g, e, want);
	if (!e->arg && (e->a->type.t.kind == TRACE_RECORD || e->a->type.t.kind == TRACE_STRING))
		return gen_part(g, e, want);
	if (!e->arg) {
		at = g->ways->wide_place(g, e->a) + e->a->type.t.fields[e->value].offset;
		want = code_dest(g, want);
		code_put(g, KT_LDS, want, 0, KT_SIZE_8, (int32_t)at);
		return want;
	}
	if ((int)e->type.t.kind >= TYPE_STRUCT)
		gen_arg_memory(g, e);
	want = gen_arg_value(g, e->arg, want);
	if (e->arg->kind == TRACE_ARG_REGISTER && e->arg->offset)
		code_put(g, KT_ADDI, want, want, 0, (int32_t)e->arg->offset);
	if (e->type.t.size < 8)
		code_put(g, KT_EXT, want, want, code_size(e->type.t.size) |
			 (e->type.t.sign ? KT_SIGNED : 0), 0);
	return want;
}

int gen_number(struct gen *g, const struct trace_arg *arg)
{
	struct expr e = {
		.kind = E_FIELD, .arg = arg,
		.type.t = { .kind = TRACE_INT, .size = 4 },
	};

	return gen_field(g, &e, code_temp(g));
}
