// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * abi.c - where a C function finds its parameters as it begins (x86-64 System V).
 *
 * Owns: the order of registers and of places on the stack.  Fractions go into vector
 * registers, which no probe reads; structures of up to 16 bytes lie in registers
 * without an address, and cannot be had as structures.
 */
#include "own.h"

#define REGS 6
#define STACK_MAX (1u << 30)
#define DEPTH_MAX 8

int names_reg_of_dwarf(unsigned int number)
{
	static const uint8_t regs[] = {
		REG_AX, REG_DX, REG_CX, REG_BX, REG_SI, REG_DI, REG_BP, REG_SP,
		REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14,
		REG_R15, REG_IP,
	};

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

static void refuse(struct trace_arg *arg, const char *why)
{
	arg->kind = TRACE_ARG_NOWHERE;
	arg->why = why;
}

static void on_stack(struct abi *abi, struct trace_arg *arg)
{
	if (abi->stack > STACK_MAX) {
		refuse(arg, "it is too far up the stack");
		return;
	}
	arg->kind = TRACE_ARG_REGISTER;
	arg->value = REG_SP;
	arg->offset = (int64_t)(8 + abi->stack);
	arg->deref = true;
	abi->stack += (arg->type->size < STACK_MAX ? arg->type->size + 7 :
		       2 * STACK_MAX) & ~7ull;
}

static void small_struct(struct abi *abi, struct trace_arg *arg)
{
	uint64_t halves = (arg->type->size + 7) / 8, i;
	unsigned int regs = 0;

	for (i = 0; i < halves; i++)
		regs += has_integer(arg->type, 0, i, DEPTH_MAX);
	if (abi->regs + regs > REGS) {
		on_stack(abi, arg);
		return;
	}
	abi->regs += regs;
	refuse(arg, "a structure that is passed in registers has no address: use arg0, arg1 ... or reg()");
}

enum names_reg names_abi_reg(unsigned int number)
{
	static const uint8_t regs[REGS] = {
		REG_DI, REG_SI, REG_DX, REG_CX, REG_R8, REG_R9,
	};

	return regs[number % REGS];
}

void names_abi_returns(struct abi *abi, const struct ctype *type,
		       bool by_reference)
{
	if (by_reference || (type->kind == CTYPE_STRUCT && type->size > 16))
		abi->regs++;
}

void names_abi_next(struct abi *abi, struct trace_arg *arg)
{
	const struct ctype *type = arg->type;

	if (is_fraction(type) && type->size <= 8) {
		refuse(arg, "a floating-point number is in a vector register, which probes do not read");
	} else if (is_fraction(type) || type->size > 16) {
		on_stack(abi, arg);
	} else if (type->size > 8 || type->kind == CTYPE_STRUCT ||
		   type->kind == CTYPE_ARRAY) {
		small_struct(abi, arg);
	} else if (abi->regs < REGS) {
		arg->kind = TRACE_ARG_NUMBER;
		arg->value = abi->regs++;
	} else {
		on_stack(abi, arg);
	}
}
