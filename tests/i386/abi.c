// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * abi.c - where a script looks for parameters on i386, in a process and in a kernel.
 *
 * Owns: that a process's are on the stack, one behind the other, and that a kernel's, most of
 * whose functions have them in registers, are refused by name.
 */
#include <stdio.h>
#include <string.h>

#include "own.h"

static const struct ctype number = { .kind = CTYPE_INT, .size = 4 };
static const struct ctype wide = { .kind = CTYPE_INT, .size = 8 };

static struct trace_arg next(struct abi *abi, const struct ctype *type)
{
	struct trace_arg arg = { .type = type };

	names_abi_next(abi, &arg);
	return arg;
}

static bool is_at(struct trace_arg arg, long offset)
{
	return arg.kind == TRACE_ARG_REGISTER && arg.value == REG_SP && arg.deref && arg.offset == offset;
}

int main(void)
{
	struct abi process = { 0 }, kernel = { .kernel = true };
	const struct trace_arg refused = next(&kernel, &number);
	bool there = is_at(next(&process, &number), 4) && is_at(next(&process, &wide), 8) &&
		     is_at(next(&process, &number), 16);
	bool none = refused.kind == TRACE_ARG_NOWHERE && strstr(refused.why, "use arg0");

	printf("%sok i386-abi a process's parameters\n", there ? "" : "not ");
	printf("%sok i386-abi a kernel's are refused by name\n", none ? "" : "not ");
	return !there || !none;
}
