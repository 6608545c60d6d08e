// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * location.c - where a variable is at an instruction, as a fetch of one step.
 *
 * Owns: the interpretation of DWARF expressions.  A fetch is the value of a register, or memory
 * at the value of a register plus an offset, or a constant.  If it takes more steps, it is
 * refused, with the reason.
 */
#include "dwarf.h"

#include <dwarf.h>
#include <stdlib.h>

#define STACK 16

enum base { CONSTANT, REGISTER, MEMORY };

/*
 * A constant, a register's value, or what lies at it + inner; and plus added.  Sums
 * wrap, as addresses do.
 */
struct value {
	enum base base;
	int reg;
	uint64_t inner, plus;
};

struct machine {
	struct location *at;
	Dwarf_Attribute *attr;
	struct value stack[STACK];
	unsigned int nr;
	bool is_value;			/* not the address of one */
	bool in_frame;			/* this is a frame's base: no other's */
	bool in_cfa;
	const char *why;
};

static bool refuse(struct machine *m, const char *why)
{
	m->why = why;
	return false;
}

static bool push(struct machine *m, struct value value)
{
	if (m->nr == STACK)
		return refuse(m, "its place is computed in a way that is too complicated");
	m->stack[m->nr++] = value;
	return true;
}

static bool push_constant(struct machine *m, uint64_t value)
{
	return push(m, (struct value){ .base = CONSTANT, .plus = value });
}

static bool push_register(struct machine *m, unsigned int number, uint64_t plus)
{
	int reg = names_reg_of_dwarf(number);

	if (reg < 0)
		return refuse(m, "it is in a vector register, which probes do not read");
	return push(m, (struct value){ .base = REGISTER, .reg = reg,
				       .plus = plus });
}

static bool run(struct machine *m, const Dwarf_Op *ops, size_t nr);

/* What the caller's stack pointer was before the call. */
static bool push_cfa(struct machine *m)
{
	struct location *at = m->at;
	struct machine cfa = { .at = at, .in_frame = true, .in_cfa = true };
	Dwarf_Addr bias = 0;
	Dwarf_Frame *frame = NULL;
	Dwarf_Op *ops;
	Dwarf_CFI *cfi;
	size_t nr;
	bool done;

	if (m->in_cfa)
		return refuse(m, "the debugging information is damaged");
	at->from_cfa = true;
	cfi = dwfl_module_eh_cfi(at->module, &bias);
	if (!cfi || dwarf_cfi_addrframe(cfi, at->pc + at->bias - bias, &frame)) {
		cfi = dwfl_module_dwarf_cfi(at->module, &bias);
		if (!cfi || dwarf_cfi_addrframe(cfi, at->pc + at->bias - bias,
						&frame))
			return refuse(m, "it is in the function's frame, and nothing says where that is (no unwind entry)");
	}
	done = !dwarf_frame_cfa(frame, &ops, &nr) && run(&cfa, ops, nr) &&
	       cfa.nr;
	free(frame);
	if (!done)
		return refuse(m, "it is in the function's frame, whose place is computed in a way that is too complicated");
	return push(m, cfa.stack[cfa.nr - 1]);
}

static bool push_frame(struct machine *m, uint64_t offset)
{
	struct location *at = m->at;
	Dwarf_Attribute attr;
	struct machine frame = { .at = at, .attr = &attr, .in_frame = true };
	Dwarf_Op *ops;
	size_t nr;

	if (m->in_frame || !at->function ||
	    !dwarf_attr_integrate(at->function, DW_AT_frame_base, &attr) ||
	    dwarf_getlocation_addr(&attr, at->pc, &ops, &nr, 1) <= 0)
		return refuse(m, "it is in the function's frame, and nothing says where that is");
	if (!run(&frame, ops, nr) || !frame.nr)
		return refuse(m, frame.why ? frame.why : "the debugging information is damaged");
	frame.stack[frame.nr - 1].plus += offset;
	return push(m, frame.stack[frame.nr - 1]);
}

static bool follow(struct machine *m)
{
	struct value *top;

	if (!m->nr)
		return refuse(m, "the debugging information is damaged");
	top = &m->stack[m->nr - 1];
	if (top->base != REGISTER)
		return refuse(m, "it is behind more pointers than one probe follows");
	top->base = MEMORY;
	top->inner = top->plus;
	top->plus = 0;
	return true;
}

/* One of the two is a number. */
static bool add(struct machine *m, bool minus)
{
	struct value *a, *b;

	if (m->nr < 2)
		return refuse(m, "the debugging information is damaged");
	a = &m->stack[m->nr - 2];
	b = &m->stack[m->nr - 1];
	m->nr--;
	if (b->base == CONSTANT) {
		a->plus = minus ? a->plus - b->plus : a->plus + b->plus;
		return true;
	}
	if (a->base != CONSTANT || minus)
		return refuse(m, "its place is computed from several registers");
	b->plus += a->plus;
	*a = *b;
	return true;
}

static bool implicit(struct machine *m, const Dwarf_Op *op)
{
	Dwarf_Block block;
	uint64_t value = 0;
	size_t i;

	if (!m->attr || dwarf_getlocation_implicit_value(m->attr, op, &block) ||
	    block.length > 8)
		return refuse(m, "it is a constant that the program does not hold");
	for (i = 0; i < block.length; i++)
		value |= (uint64_t)block.data[i] << (8 * i);
	m->is_value = true;
	return push_constant(m, value);
}

static bool step(struct machine *m, const Dwarf_Op *op)
{
	unsigned int atom = op->atom;

	if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
		return push_constant(m, atom - DW_OP_lit0);
	if (atom >= DW_OP_reg0 && atom <= DW_OP_reg31) {
		m->is_value = true;
		return push_register(m, atom - DW_OP_reg0, 0);
	}
	if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
		return push_register(m, atom - DW_OP_breg0, op->number);
	switch (atom) {
	case DW_OP_regx:
		m->is_value = true;
		return push_register(m, (unsigned int)op->number, 0);
	case DW_OP_bregx:
		return push_register(m, (unsigned int)op->number, op->number2);
	case DW_OP_fbreg:
		return push_frame(m, op->number);
	case DW_OP_call_frame_cfa:
		return push_cfa(m);
	case DW_OP_addr:
		return push_constant(m, op->number + m->at->bias);
	case DW_OP_const1u: case DW_OP_const2u: case DW_OP_const4u:
	case DW_OP_const8u: case DW_OP_constu: case DW_OP_const1s:
	case DW_OP_const2s: case DW_OP_const4s: case DW_OP_const8s:
	case DW_OP_consts:
		return push_constant(m, op->number);
	case DW_OP_plus_uconst:
		return push_constant(m, op->number) && add(m, false);
	case DW_OP_plus:
		return add(m, false);
	case DW_OP_minus:
		return add(m, true);
	case DW_OP_deref:
		return follow(m);
	case DW_OP_stack_value:
		m->is_value = true;
		return true;
	case DW_OP_implicit_value:
		return implicit(m, op);
	case DW_OP_nop:
		return true;
	case DW_OP_piece:
	case DW_OP_bit_piece:
		return refuse(m, "it is in several pieces");
	case DW_OP_entry_value:
	case DW_OP_GNU_entry_value:
		return refuse(m, "its value was not kept, only what it was as the function began: probe there");
	case DW_OP_form_tls_address:
	case DW_OP_GNU_push_tls_address:
		return refuse(m, "each thread has its own, and nothing says here where");
	case DW_OP_implicit_pointer:
	case DW_OP_GNU_implicit_pointer:
		return refuse(m, "the compiler made do without what it points to");
	}
	return refuse(m, "its place is computed in a way that is too complicated");
}

static bool run(struct machine *m, const Dwarf_Op *ops, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (!step(m, &ops[i]))
			return false;
	return true;
}

/* ---- what a probe fetches ------------------------------------------------------------- */

static void nowhere(struct trace_arg *arg, const char *why)
{
	names_refuse(arg, why ? why : "the compiler did not keep it here");
}

static void fetch_value(const struct value *v, struct trace_arg *arg)
{
	if (arg->type->kind == CTYPE_STRUCT || arg->type->kind == CTYPE_ARRAY) {
		nowhere(arg, "it is held in a register, without an address: use reg()");
		return;
	}
	arg->value = v->reg;
	arg->offset = (int64_t)v->plus;
	switch (v->base) {
	case CONSTANT:
		arg->kind = TRACE_ARG_CONSTANT;
		arg->value = (int64_t)v->plus;
		arg->offset = 0;
		break;
	case REGISTER:
		arg->kind = TRACE_ARG_REGISTER;
		break;
	case MEMORY:
		if (v->plus) {
			nowhere(arg, "its value is computed in a way that is too complicated");
			break;
		}
		arg->kind = TRACE_ARG_REGISTER;
		arg->offset = (int64_t)v->inner;
		arg->deref = true;
	}
}

/* What is behind a pointer is had as that pointer. */
static void fetch_address(struct names *names, const struct value *v,
			  struct trace_arg *arg)
{
	switch (v->base) {
	case CONSTANT:
		arg->kind = TRACE_ARG_MEMORY;
		arg->value = (int64_t)v->plus;
		break;
	case REGISTER:
		arg->kind = TRACE_ARG_REGISTER;
		arg->value = v->reg;
		arg->offset = (int64_t)v->plus;
		arg->deref = true;
		break;
	case MEMORY:
		arg->type = names_pointer(names, arg->type);
		fetch_value(v, arg);
	}
}

static bool fixed(Dwarf_Die *variable, struct trace_arg *arg)
{
	Dwarf_Attribute attr;
	Dwarf_Sword number;
	Dwarf_Word word;

	if (!dwarf_attr_integrate(variable, DW_AT_const_value, &attr))
		return false;
	arg->kind = TRACE_ARG_CONSTANT;
	if (dwarf_whatform(&attr) == DW_FORM_sdata &&
	    !dwarf_formsdata(&attr, &number))
		arg->value = number;
	else if (!dwarf_formudata(&attr, &word))
		arg->value = (int64_t)word;
	else
		nowhere(arg, "it is a constant that the program does not hold");
	return true;
}

static bool is_list(Dwarf_Attribute *attr)
{
	switch (dwarf_whatform(attr)) {
	case DW_FORM_exprloc:
	case DW_FORM_block:
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
		return false;
	}
	return true;
}

void location_find(struct location *at, Dwarf_Die *variable,
		   struct trace_arg *arg)
{
	Dwarf_Attribute attr;
	struct machine m = { .at = at, .attr = &attr };
	Dwarf_Op *ops;
	size_t nr;

	at->whole = at->from_cfa = false;
	if (!dwarf_attr_integrate(variable, DW_AT_location, &attr)) {
		if (!fixed(variable, arg))
			nowhere(arg, NULL);
		return;
	}
	at->whole = !is_list(&attr);
	if (dwarf_getlocation_addr(&attr, at->pc, &ops, &nr, 1) <= 0 || !nr ||
	    !run(&m, ops, nr) || !m.nr)
		nowhere(arg, m.why);
	else if (m.is_value)
		fetch_value(&m.stack[m.nr - 1], arg);
	else
		fetch_address(at->names, &m.stack[m.nr - 1], arg);
	if (arg->offset != (int32_t)arg->offset)
		nowhere(arg, "the debugging information is damaged");
}
