// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * usdt_operand.c - operands in notes of markers, as x86's assembler writes them.
 *
 * Owns: "%rdi", "$16", "8(%rsp)", "name+8(%rip)".
 */
#include "dwarf.h"
#include "own.h"
#include "usdt_regs.h"

#include <ctype.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

/* "%rdi" and what follows it; -1: it is none of them. */
static int reg_at(const char **text)
{
	size_t len, i, k;

	if (**text != '%')
		return -1;
	for (len = 0; isalnum((unsigned char)(*text)[1 + len]); len++)
		;
	for (i = 0; i < sizeof(regs) / sizeof(regs[0]); i++) {
		for (k = 0; k < 4; k++) {
			if (len && strlen(regs[i].names[k]) == len &&
			    !strncmp(regs[i].names[k], *text + 1, len)) {
				*text += 1 + len;
				return regs[i].reg;
			}
		}
	}
	return -1;
}

static bool symbol_at(Dwfl_Module *module, const char *name, size_t len,
		      uint64_t *addr)
{
	int nr = dwfl_module_getsymtab(module), i;

	for (i = 1; i < nr; i++) {
		GElf_Sym sym;
		GElf_Addr at;
		const char *is = dwfl_module_getsym_info(module, i, &sym, &at,
							 NULL, NULL, NULL);

		if (is && !strncmp(is, name, len) && !is[len] &&
		    sym.st_shndx != SHN_UNDEF) {
			*addr = at;
			return true;
		}
	}
	return false;
}

static bool nowhere(struct trace_arg *arg, const char *why)
{
	names_refuse(arg, why);
	return true;
}

/* "8(%rsp)", "name+8(%rip)", "name": the sum before the register. */
static bool sum_at(Dwfl_Module *module, const char **text, int64_t *number,
		   bool *symbol)
{
	uint64_t sum = 0, addr;
	const char *at = *text;

	*symbol = false;
	while (*at && *at != '(') {
		bool minus = *at == '-';
		char *end;
		size_t len;

		at += *at == '+' || *at == '-';
		if (isdigit((unsigned char)*at)) {
			addr = strtoull(at, &end, 0);
			at = end;
		} else {
			len = strcspn(at, "+-(");
			if (!len || minus || *symbol ||
			    !symbol_at(module, at, len, &addr))
				return false;
			*symbol = true;
			at += len;
		}
		sum = minus ? sum - addr : sum + addr;
	}
	*text = at;
	*number = (int64_t)sum;
	return true;
}

static bool memory_operand(Dwfl_Module *module, const char *text,
			   struct trace_arg *arg)
{
	bool symbol;
	int reg;

	if (!sum_at(module, &text, &arg->offset, &symbol))
		return nowhere(arg, "a name in the note's text is not known");
	arg->kind = TRACE_ARG_MEMORY;
	if (symbol && (!*text || !strcmp(text, "(%rip)"))) {
		arg->value = arg->offset;
		arg->offset = 0;
		return true;
	}
	if (*text++ != '(')
		return false;
	reg = reg_at(&text);
	if (*text == ',')
		return nowhere(arg, "its address is computed from two registers: use reg()");
	if (reg < 0 || reg == REG_IP || symbol || strcmp(text, ")") ||
	    arg->offset != (int32_t)arg->offset)
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

	if (*text == '$') {
		arg->kind = TRACE_ARG_CONSTANT;
		arg->value = (int64_t)strtoll(text + 1, &end, 0);
		return end != text + 1 && !*end;
	}
	if (*text != '%')
		return memory_operand(module, text, arg);
	reg = reg_at(&text);
	if (reg < 0)
		return nowhere(arg, "it is in a register that probes do not read");
	arg->kind = TRACE_ARG_REGISTER;
	arg->value = reg;
	return !*text;
}
