// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * abi.c - where a C function finds its parameters as it begins.
 *
 * Owns: the order of registers and of places on the stack.  Fractions go into vector
 * registers, which no probe reads; structures of up to 16 bytes lie in registers
 * without an address, and cannot be had as structures.
 */
#include "own.h"

#define STACK_MAX (1u << 30)
#define DEPTH_MAX 8

int names_reg_of_dwarf(unsigned int number)
{
	static const uint8_t regs[] = KT_DWARF_REGS;

	return number < sizeof(regs) ? regs[number] : -1;
}

static bool is_fraction(const struct ctype *type)
{
	return type->kind == CTYPE_VOID && type->size;
}

/* Does anything but a fraction lie in that half of a structure? */
static bool has_integer(const struct ctype *type, uint64_t at, uint64_t half,
			unsigned int depth)
{
	uint64_t i, end = half * 8 + 8;

	if (at >= end || at + type->size <= half * 8 || !depth)
		return false;
	if (type->kind == CTYPE_ARRAY) {
		for (i = 0; i < type->nr && i < 16; i++)
			if (has_integer(type->to, at + i * type->to->size,
					half, depth - 1))
				return true;
		return false;
	}
	if (type->kind != CTYPE_STRUCT)
		return !is_fraction(type);
	for (i = 0; i < type->fields_nr; i++)
		if (has_integer(type->fields[i].type,
				at + type->fields[i].offset, half, depth - 1))
			return true;
	return type->incomplete;
}

static void on_stack(struct abi *abi, struct trace_arg *arg)
{
	if (abi->stack > STACK_MAX) {
		names_refuse(arg, "it is too far up the stack");
		return;
	}
	arg->kind = TRACE_ARG_REGISTER;
	arg->value = REG_SP;
	arg->offset = (int64_t)(KT_ARG_STACK + abi->stack);
	arg->deref = true;
	abi->stack += (arg->type->size < STACK_MAX ? arg->type->size + KT_WORD - 1 :
		       2 * STACK_MAX) & ~(KT_WORD - 1ull);
}

static void small_struct(struct abi *abi, struct trace_arg *arg)
{
	uint64_t halves = (arg->type->size + 7) / 8, i;
	unsigned int regs = 0;

	for (i = 0; i < halves; i++)
		regs += has_integer(arg->type, 0, i, DEPTH_MAX);
	/* How many members it has decides where fractions go, and a half may be on the stack. */
	abi->lost = KT_FRACTIONS_ANYWHERE &&
		    (regs < halves || abi->regs + regs == KT_ARG_REGS_NR + 1);
	/* All of it where one half is. */
	if (!KT_HALVES_APART && regs)
		regs = (unsigned int)halves;
	if (abi->regs + regs > KT_ARG_REGS_NR && !abi->lost) {
		if (!KT_HALVES_APART)
			abi->regs = KT_ARG_REGS_NR;
		on_stack(abi, arg);
		return;
	}
	abi->regs += regs;
	names_refuse(arg, "a structure that is passed in registers has no address: use arg0, arg1 ... or reg()");
}

enum names_reg names_abi_reg(unsigned int number)
{
	static const uint8_t regs[KT_ARG_REGS_NR] = KT_ARG_REGS;

	return regs[number % KT_ARG_REGS_NR];
}

void names_abi_returns(struct abi *abi, const struct ctype *type,
		       bool by_reference)
{
	if (KT_ARGS_ON_STACK) {
		if (by_reference || type->kind == CTYPE_STRUCT)
			abi->stack += KT_WORD;
		return;
	}
	if (KT_RETURNED_BY_ARG && (by_reference || (type->kind == CTYPE_STRUCT && type->size > KT_RETURNED_MOST)))
		abi->regs++;
}

/* The caller passes where it is. */
static void by_address(struct abi *abi, struct trace_arg *arg)
{
	if (abi->regs == KT_ARG_REGS_NR) {
		names_refuse(arg, "the address of a structure is on the stack: use reg()");
		abi->stack += 8;
		return;
	}
	arg->kind = TRACE_ARG_REGISTER;
	arg->value = names_abi_reg(abi->regs++);
	arg->offset = 0;
	arg->deref = true;
}

/* Is there a number of two words in it? */
static bool is_wide(const struct ctype *type, unsigned int depth)
{
	uint64_t i;

	if (!depth)
		return true;
	if (type->kind == CTYPE_ARRAY)
		return is_wide(type->to, depth - 1);
	if (type->kind != CTYPE_STRUCT)
		return type->size == 2 * KT_WORD;
	for (i = 0; i < type->fields_nr; i++)
		if (is_wide(type->fields[i].type, depth - 1))
			return true;
	return false;
}

/* Of nothing but fractions, which have vector registers then. */
static bool of_fractions(const struct ctype *type)
{
	uint64_t half;

	for (half = 0; half * 8 < type->size; half++)
		if (has_integer(type, 0, half, DEPTH_MAX))
			return false;
	return type->size <= 32;
}

/* KT_ARGS_IN_PAIRS: what begins in a register goes on on the stack. */
static void in_words(struct abi *abi, struct trace_arg *arg)
{
	const struct ctype *type = arg->type;
	const bool wide = is_wide(type, DEPTH_MAX);

	if (!KT_FRACTIONS_IN_PLACE &&
	    (is_fraction(type) || (type->kind == CTYPE_STRUCT && of_fractions(type)))) {
		names_refuse(arg, "a floating-point number is in a vector register, which probes do not read");
		return;
	}
	if (wide && abi->regs < KT_ARG_REGS_NR)
		abi->regs += abi->regs & 1;
	if (abi->regs >= KT_ARG_REGS_NR) {
		abi->stack += wide ? -abi->stack & (2 * KT_WORD - 1) : 0;
		on_stack(abi, arg);
		return;
	}
	if (type->size <= KT_WORD && type->kind != CTYPE_STRUCT && type->kind != CTYPE_ARRAY &&
	    !is_fraction(type)) {
		arg->kind = TRACE_ARG_NUMBER;
		arg->value = abi->regs++;
		return;
	}
	names_refuse(arg, is_fraction(type)
	       ? "a floating-point number is in a vector register, which probes do not read"
	       : "it is in several registers: use arg0, arg1 ... or reg()");
	if (type->size > STACK_MAX) {
		abi->lost = true;
		return;
	}
	abi->regs += (unsigned int)((type->size + KT_WORD - 1) / KT_WORD);
	if (abi->regs > KT_ARG_REGS_NR) {
		abi->stack += (uint64_t)KT_WORD * (abi->regs - KT_ARG_REGS_NR);
		abi->regs = KT_ARG_REGS_NR;
	}
}

void names_abi_next(struct abi *abi, struct trace_arg *arg)
{
	const struct ctype *type = arg->type;

	/* A kernel is compiled otherwise, and some of its functions are not. */
	if (KT_ARGS_ON_STACK && abi->kernel) {
		names_refuse(arg, "a kernel of this processor has most functions' first parameters in registers: use arg0, arg1 ... or reg()");
		return;
	}
	if (KT_ARGS_ON_STACK) {
		on_stack(abi, arg);
		return;
	}
	if (KT_ARGS_IN_PAIRS && !abi->lost) {
		in_words(abi, arg);
		return;
	}
	if (is_fraction(type) && KT_FRACTIONS_ANYWHERE)
		abi->lost |= type->size > 8 || ++abi->fractions > KT_ARG_REGS_NR;
	if (abi->lost) {
		names_refuse(arg, "where it is depends on fractions before it: use reg()");
		return;
	}
	if (is_fraction(type) && (type->size <= 8 || KT_LARGE_BY_ADDRESS)) {
		names_refuse(arg, "a floating-point number is in a vector register, which probes do not read");
	} else if (KT_LARGE_BY_ADDRESS && type->size > 16) {
		by_address(abi, arg);
	} else if (is_fraction(type) || type->size > 16) {
		on_stack(abi, arg);
	} else if (type->size > 8 || type->kind == CTYPE_STRUCT ||
		   type->kind == CTYPE_ARRAY) {
		small_struct(abi, arg);
	} else if (abi->regs < KT_ARG_REGS_NR) {
		arg->kind = TRACE_ARG_NUMBER;
		arg->value = abi->regs++;
	} else {
		on_stack(abi, arg);
	}
}
