// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * syscalls.c - system calls: their numbers, and their parameters by name.
 *
 * Owns: the table, which is made of syscalls.map, and where a probe finds the
 * parameters.  A pointer among them is always the user's.
 */
#include "own.h"

#include <stddef.h>
#include <string.h>

static const struct names_syscall all[] = {
#include "syscalls_table.h"
};

#define ALL_NR ((uint32_t)(sizeof(all) / sizeof(all[0])))

const struct names_syscall *names_syscalls(uint32_t *nr)
{
	*nr = ALL_NR;
	return all;
}

const struct names_syscall *names_syscall(const char *name)
{
	uint32_t i;

	for (i = 0; i < ALL_NR; i++)
		if (!strcmp(all[i].name, name) || !strcmp(all[i].entry, name))
			return &all[i];
	return NULL;
}

const struct names_syscall *names_syscall_number(int32_t number)
{
	uint32_t i;

	for (i = 0; i < ALL_NR; i++)
		if (all[i].number == number)
			return &all[i];
	return NULL;
}

/*
 * In this order parameters are in registers, which the kernel keeps in a struct
 * pt_regs at these offsets.
 */
static const struct {
	enum names_reg reg;
	uint8_t offset;
} places[] = {
	{ REG_DI, 112 }, { REG_SI, 104 }, { REG_DX, 96 },
	{ REG_R10, 56 }, { REG_R8, 72 }, { REG_R9, 64 },
};
#define ORIG_AX_OFFSET 120		/* the number */

/* What nobody describes is still a pointer. */
static const struct ctype *type_of(struct names *names, const char *spelt)
{
	const struct ctype *type = names_type(names, spelt);

	if (type)
		return type;
	return strchr(spelt, '*') ?
	       names_pointer(names, names_builtin("void", 4)) :
	       names_builtin("long", 4);
}

static void place(struct trace_arg *arg, enum names_syscall_where where,
		  enum names_reg reg, uint8_t offset)
{
	if (where == NAMES_SYSCALL_KERNEL) {
		arg->kind = TRACE_ARG_CONTEXT;
		arg->offset = offset;
	} else {
		arg->kind = TRACE_ARG_REGISTER;
		arg->value = reg;
	}
}

const struct trace_arg *names_syscall_args(struct names *names,
					   const struct names_syscall *call,
					   enum names_syscall_where where,
					   bool returns, uint32_t *nr)
{
	struct trace_arg *args = names_alloc(names, 7 * sizeof(*args));
	uint32_t i;

	if (!args)
		return NULL;
	/* As the kernel's tracepoints call them. */
	args[0].name = "__syscall_nr";
	args[0].type = names_builtin("int", 3);
	args[0].kind = TRACE_ARG_CONSTANT;
	args[0].value = call->number;
	*nr = returns ? 2 : 1 + call->args_nr;
	if (returns) {
		args[1].name = "ret";
		args[1].type = names_builtin("long", 4);
		args[1].kind = TRACE_ARG_RETURN;
		return args;
	}
	for (i = 0; i < call->args_nr; i++) {
		struct trace_arg *arg = &args[1 + i];

		arg->name = call->args[i].name;
		arg->type = type_of(names, call->args[i].type);
		arg->user = arg->type->kind == CTYPE_POINTER;
		place(arg, where, places[i].reg, places[i].offset);
	}
	return args;
}

static const char *const elements[] = {
	"args[0]", "args[1]", "args[2]", "args[3]", "args[4]", "args[5]",
};

const struct trace_arg *names_syscall_raw_args(struct names *names,
					       const struct names_syscall *call,
					       enum names_syscall_where where,
					       bool returns, uint32_t *nr)
{
	struct trace_arg *args = names_alloc(names, 8 * sizeof(*args));
	struct ctype *array = names_alloc(names, sizeof(*array));
	const struct ctype *word = names_builtin("unsigned long", 13);
	uint32_t i;

	if (!args || !array)
		return NULL;
	*nr = returns ? 2 : 8;
	args[0].name = "id";
	args[0].type = names_builtin("long", 4);
	if (returns) {
		args[0].kind = TRACE_ARG_CONSTANT;
		args[0].value = call->number;
		args[1].name = "ret";
		args[1].type = args[0].type;
		args[1].kind = TRACE_ARG_RETURN;
		return args;
	}
	/* It is the same at each of them: they have one code. */
	place(&args[0], where, REG_AX, ORIG_AX_OFFSET);
	*array = (struct ctype){ .kind = CTYPE_ARRAY, .name = "", .size = 6 * 8,
				 .to = word, .nr = 6 };
	args[1] = (struct trace_arg){ .name = "args", .type = array,
				      .kind = TRACE_ARG_ELEMENTS, .value = 2 };
	for (i = 0; i < 6; i++) {
		args[2 + i].name = elements[i];
		args[2 + i].type = word;
		place(&args[2 + i], where, places[i].reg, places[i].offset);
	}
	return args;
}
