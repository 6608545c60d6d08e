// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * syscalls.c - system calls: their numbers, and their parameters by name.
 *
 * Owns: the table, which is made of syscalls.map, and where a probe finds the
 * parameters.  A pointer among them is always the user's.
 */
#include "own.h"

#include <asm/unistd.h>
#include <stddef.h>
#include <string.h>

/* Numbers are the processor's; of what is newer than these headers, x86-64's is known. */
#if defined(__x86_64__) && !defined(__ILP32__)
#define OF_X86(number) number
#else
#define OF_X86(number) (-1)
#endif

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
	uint16_t reg, offset;
} places[] = KT_CALL_PLACES;

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

/* One of the six; or the number: -1. */
static void place(struct trace_arg *arg, const struct names_syscall_place *at,
		  int number)
{
	const struct trace_arg *part = at->parts ? &at->parts[1 + number] : NULL;
	unsigned int reg = number < 0 ? KT_CALL_NUMBER : places[number].reg;

	if (part) {
		arg->kind = part->kind;
		arg->value = part->value;
		arg->offset = part->offset;
		arg->deref = part->deref;
	} else if (at->where == NAMES_SYSCALL_FUNCTION && number >= 0) {
		arg->kind = TRACE_ARG_NUMBER;
		arg->value = (uint64_t)number;
	} else if (at->where != NAMES_SYSCALL_PROCESS) {
		arg->kind = TRACE_ARG_CONTEXT;
		arg->offset = number < 0 ? KT_CALL_NUMBER_OFFSET : places[number].offset;
	} else {
		arg->kind = TRACE_ARG_REGISTER;
		arg->value = reg;
	}
}

/*
 * The number, and what the call returns.  It is looked up where that makes one code
 * of many.
 */
static void place_number(struct trace_arg args[2],
			 const struct names_syscall *call,
			 const struct names_syscall_place *at)
{
	/* As the kernel's tracepoints call them. */
	args[0].name = at->raw ? "id" : "__syscall_nr";
	args[0].type = at->raw ? names_builtin("long", 4) : names_builtin("int", 3);
	if (at->returns && at->noted) {
		args[0].kind = TRACE_ARG_NOTED;
	} else if (call && (!at->raw || at->returns || at->where == NAMES_SYSCALL_FUNCTION)) {
		args[0].kind = TRACE_ARG_CONSTANT;
		args[0].value = (uint64_t)call->number;
		/* Of all of them: -1, as some have none here. */
		if (call->number < 0 && !at->raw)
			names_refuse(&args[0], "its number is not known for this processor");
	} else if (at->where == NAMES_SYSCALL_FUNCTION) {
		names_refuse(&args[0], "this kernel's functions for system calls are not told its number");
	} else {
		place(&args[0], at, -1);
		/* The kernel looks at no more of it. */
		if (at->where == NAMES_SYSCALL_PROCESS)
			args[0].type = names_builtin("int", 3);
	}
	if (at->returns) {
		args[1].name = "ret";
		args[1].type = names_builtin("long", 4);
		args[1].kind = TRACE_ARG_RETURN;
	}
}

static const char *const numbered[] = {
	"arg0", "arg1", "arg2", "arg3", "arg4", "arg5",
};
static const char *const elements[] = {
	"args[0]", "args[1]", "args[2]", "args[3]", "args[4]", "args[5]",
};

static void place_all(struct trace_arg args[6],
		      const struct names_syscall_place *at)
{
	uint32_t i;

	for (i = 0; i < 6; i++) {
		args[i].name = at->raw ? elements[i] : numbered[i];
		args[i].type = names_builtin("unsigned long", 13);
		place(&args[i], at, (int)i);
	}
}

/* "args", whose elements lie behind it. */
static bool place_array(struct names *names, struct trace_arg *arg)
{
	struct ctype *array = names_alloc(names, sizeof(*array));

	if (!array)
		return false;
	*array = (struct ctype){
		.kind = CTYPE_ARRAY, .name = "", .size = 6 * KT_WORD, .nr = 6,
		.to = names_builtin("unsigned long", 13),
	};
	*arg = (struct trace_arg){ .name = "args", .type = array,
				   .kind = TRACE_ARG_ELEMENTS, .value = 2 };
	return true;
}

/* Of more than a word, in pairs of registers; from there on they are elsewhere. */
static bool is_wide(const char *type)
{
	return KT_WORD < 8 && !strchr(type, '*') && (strstr(type, "loff_t") || strstr(type, "u64"));
}

const struct trace_arg *names_syscall_args(struct names *names,
					   const struct names_syscall *call,
					   const struct names_syscall_place *at,
					   uint32_t *nr)
{
	struct trace_arg *args = names_alloc(names, 8 * sizeof(*args));
	bool wide = false;
	uint32_t i;

	if (!args)
		return NULL;
	place_number(args, call, at);
	if (at->returns) {
		*nr = 2;
		return args;
	}
	if (at->raw || !call) {
		*nr = at->raw ? 8 : 7;
		place_all(&args[*nr - 6], at);
		return at->raw && !place_array(names, &args[1]) ? NULL : args;
	}
	*nr = 1 + call->args_nr;
	for (i = 0; i < call->args_nr; i++) {
		struct trace_arg *arg = &args[1 + i];

		arg->name = call->args[i].name;
		arg->type = type_of(names, call->args[i].type);
		arg->user = arg->type->kind == CTYPE_POINTER;
		place(arg, at, (int)i);
		wide |= is_wide(call->args[i].type);
		if (wide && at->where != NAMES_SYSCALL_PROCESS)
			names_refuse(arg, "kernels of 32 bits differ in where a parameter of 64 bits and those behind it are");
	}
	return args;
}
