// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * usdt_operand.c - operands in notes of markers, as arm's and arm64's assemblers write them.
 *
 * Owns: "x0", "16", "[sp, 8]", "[x19]"; arm's numbers have a "#".  What the registers are
 * called is in the processors' usdt_regs.h.
 */
#include "own.h"
#include "usdt_regs.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool nowhere(struct trace_arg *arg, const char *why)
{
	names_refuse(arg, why);
	return true;
}

/* Behind "[". */
static bool memory_operand(const char *text, struct trace_arg *arg)
{
	int reg = usdt_reg_at(&text);
	char *end;

	arg->offset = 0;
	if (reg < 0)
		return false;
	if (*text == ',') {
		text += strspn(text, USDT_HASH ? ", #" : ", ");
		if (!isdigit((unsigned char)*text) && *text != '-')
			return nowhere(arg, "its address is computed from two registers: use reg()");
		arg->offset = strtol(text, &end, 0);
		text = end;
	}
	if (strcmp(text, "]") || arg->offset != (int32_t)arg->offset)
		return false;
	arg->kind = TRACE_ARG_REGISTER;
	arg->value = reg;
	arg->deref = true;
	return true;
}

bool usdt_operand(Dwfl_Module *module, const char *text, struct trace_arg *arg)
{
	char *end;
	int reg;

	(void)module;
	if (*text == '[')
		return memory_operand(text + 1, arg);
	if ((USDT_HASH && *text == '#') || isdigit((unsigned char)*text) || *text == '-') {
		text += *text == '#';
		arg->kind = TRACE_ARG_CONSTANT;
		arg->value = (int64_t)strtoll(text, &end, 0);
		return !*end;
	}
	reg = usdt_reg_at(&text);
	if (reg < 0)
		return nowhere(arg, "it is in a register that probes do not read");
	arg->kind = TRACE_ARG_REGISTER;
	arg->value = reg;
	return !*text;
}
