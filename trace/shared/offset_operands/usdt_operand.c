// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * usdt_operand.c - operands in notes of markers, as riscv64's and MIPS' assemblers write them.
 *
 * Owns: "a0", "s0", "16", "8(sp)", "-20(s0)"; MIPS' registers have a "$".  What the registers
 * are called is in the processors' usdt_regs.h.
 */
#include "own.h"
#include "usdt_regs.h"

#include <stdlib.h>
#include <string.h>

/* Behind the offset. */
static bool memory_operand(const char *text, int64_t offset, struct trace_arg *arg)
{
	size_t len = strcspn(text, ")");
	int reg = usdt_reg_named(text, len);

	if (reg < 0 || strcmp(text + len, ")") || offset != (int32_t)offset)
		return false;
	arg->kind = TRACE_ARG_REGISTER;
	arg->value = reg;
	arg->offset = offset;
	arg->deref = true;
	return true;
}

bool usdt_operand(Dwfl_Module *module, const char *text, struct trace_arg *arg)
{
	char *end;
	int64_t number = strtoll(text, &end, 0);
	int reg = usdt_reg_named(text, strlen(text));

	(void)module;
	if (*end == '(')
		return memory_operand(end + 1, number, arg);
	if (end != text && !*end) {
		arg->kind = TRACE_ARG_CONSTANT;
		arg->value = number;
		return true;
	}
	arg->kind = TRACE_ARG_REGISTER;
	arg->value = reg;
	if (reg < 0)
		names_refuse(arg, "it is in a register that probes do not read");
	return true;
}
