// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * show.c - what names mean, as text, for names.py.
 *
 * usage: show btf FILE       then questions on standard input, a line each:
 *        show dwarf FILE
 *        show process PID
 *        show kernel
 *        show nothing
 *          type NAME | constant NAME | args FUNCTION [OFFSET] | returns FUNCTION
 *          at ADDRESS | frames ADDRESS | line FILE:LINE | usdt PROVIDER
 *          syscall NAME kernel|process | sysret NAME | rawcall ... | rawret ...
 *          event FIELD|FIELD...
 * The answer to each: lines, and a line with a dot.
 */
#include "names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {
	[CTYPE_VOID] = "void", [CTYPE_INT] = "int", [CTYPE_POINTER] = "pointer",
	[CTYPE_ARRAY] = "array", [CTYPE_STRUCT] = "struct", [CTYPE_ENUM] = "enum",
	[CTYPE_FUNCTION] = "function",
};

static void show_type(const struct ctype *type, int depth)
{
	printf("%s", kinds[type->kind]);
	if (*type->name)
		printf(" '%s'", type->name);
	printf(" %" PRIu64 "%s%s", type->size, type->sign ? " signed" : "",
	       type->incomplete ? " incomplete" : "");
	if (type->kind == CTYPE_ARRAY)
		printf(" [%" PRIu64 "]", type->nr);
	if ((type->kind == CTYPE_POINTER || type->kind == CTYPE_ARRAY) &&
	    depth < 8) {
		printf(" of ");
		show_type(type->to, depth + 1);
	}
}

static void show_fields(const struct ctype *type, unsigned int depth)
{
	uint32_t i;

	for (i = 0; i < type->fields_nr; i++) {
		const struct cfield *field = &type->fields[i];

		printf("%*s%s ", depth * 2, "", *field->name ? field->name : "-");
		if (type->kind == CTYPE_ENUM) {
			printf("%" PRId64 "\n", type->values[i]);
			continue;
		}
		printf("+%u", field->offset);
		if (field->bits)
			printf(" bits %u..%u", field->bit,
			       field->bit + field->bits);
		printf(" ");
		show_type(field->type, 0);
		printf("\n");
		if (!*field->name && depth < 8)
			show_fields(field->type, depth + 1);
	}
}

static void show_arg(const struct trace_arg *arg)
{
	printf("%s ", arg->name);
	switch (arg->kind) {
	case TRACE_ARG_NUMBER:
		printf("arg%" PRId64, arg->value);
		break;
	case TRACE_ARG_REGISTER:
		printf(arg->deref ? "[r%" PRId64 "%+" PRId64 "]" :
		       "r%" PRId64 "%+" PRId64, arg->value, arg->offset);
		break;
	case TRACE_ARG_CONTEXT:
		printf("[arg%" PRId64 "+%" PRId64 "]", arg->value, arg->offset);
		break;
	case TRACE_ARG_LOCATED:
		printf("located by [arg%" PRId64 "+%" PRId64 "]", arg->value, arg->offset);
		break;
	case TRACE_ARG_CONSTANT:
		printf("=%" PRId64, arg->value);
		break;
	case TRACE_ARG_MEMORY:
		printf("[%#" PRIx64 "]", (uint64_t)arg->value);
		break;
	case TRACE_ARG_RETURN:
		printf("returned");
		break;
	case TRACE_ARG_NOTED:
		printf("noted");
		break;
	case TRACE_ARG_ELEMENTS:
		printf("from %" PRId64, arg->value);
		break;
	case TRACE_ARG_NOWHERE:
		printf("nowhere (%s)", arg->why);
		break;
	}
	printf("%s ", arg->user ? " user" : "");
	show_type(arg->type, 0);
	printf("\n");
}

static void show_args(const struct trace_arg *args, uint32_t nr,
		      const char *why)
{
	uint32_t i;

	if (!args)
		printf("none: %s\n", why);
	for (i = 0; args && i < nr; i++)
		show_arg(&args[i]);
}

static void ask_args(struct names *names, const char *what, char *name)
{
	struct names_place place = { .function = name };
	const struct trace_arg *args;
	char *offset = strchr(name, ' ');
	const char *why = "";
	uint32_t nr;

	if (offset) {
		*offset = 0;
		place.offset = strtoull(offset + 1, NULL, 0);
	}
	if (!strcmp(what, "at"))
		place.addr = strtoull(name, NULL, 0);
	place.returns = !strcmp(what, "returns");
	args = names_args(names, &place, &nr, &why);
	show_args(args, nr, why);
}

static void ask_syscall(struct names *names, const char *what, char *name)
{
	char *where = strchr(name, ' ');
	struct names_syscall_place at = { .raw = false };
	const struct names_syscall *call;
	const struct trace_arg *args;
	uint32_t nr;

	if (where)
		*where++ = 0;
	call = names_syscall(name);
	if (!call) {
		printf("none\n");
		return;
	}
	printf("%d %s %s\n", call->number, call->name, call->entry);
	at.where = where && !strcmp(where, "process") ? NAMES_SYSCALL_PROCESS
						      : NAMES_SYSCALL_KERNEL;
	at.returns = !strcmp(what + 3, "ret");
	at.raw = !strncmp(what, "raw", 3);
	args = names_syscall_args(names, call, &at, &nr);
	show_args(args, nr, "");
}

/* Fields of a tracepoint, as the kernel describes them, with | between. */
static void ask_event(struct names *names, char *fields)
{
	size_t len = strlen(fields) + 1;
	const struct trace_arg *args;
	uint32_t nr;
	size_t i;

	for (i = 0; i < len; i++)
		if (fields[i] == '|')
			fields[i] = 0;
	args = names_event_args(names, fields, len, &nr);
	show_args(args, nr, "");
}

static void show_line(void *arg, const struct names_line *line)
{
	(void)arg;
	printf("%#" PRIx64 " %d %s%s\n", line->addr, line->line, line->function,
	       line->inlined ? " inlined" : "");
}

static void ask_line(struct names *names, char *where)
{
	char *colon = strrchr(where, ':');
	const char *why;

	if (colon)
		*colon = 0;
	if (!names_lines(names, where, colon ? atoi(colon + 1) : 0, show_line,
			 NULL, &why))
		printf("none: %s\n", why);
}

static void show_frame(void *arg, const struct names_frame *frame)
{
	(void)arg;
	printf("%s %s:%d%s\n", frame->function,
	       frame->file ? frame->file : "??", frame->line,
	       frame->inlined ? " inlined" : "");
}

static void show_usdt(void *arg, const struct names_usdt *usdt)
{
	if (strcmp(arg, usdt->provider))
		return;
	printf("%s:%s %#" PRIx64 " %#" PRIx64 "\n", usdt->provider, usdt->name,
	       usdt->addr, usdt->semaphore);
	show_args(usdt->args, usdt->args_nr, "");
}

static void ask(struct names *names, const char *what, char *name)
{
	const struct ctype *type;
	int64_t value;

	if (!strcmp(what, "type")) {
		type = names_type(names, name);
		if (type) {
			show_type(type, 0);
			printf("\n");
			show_fields(type, 1);
		} else {
			printf("none\n");
		}
	} else if (!strcmp(what, "constant")) {
		if (names_constant(names, name, &value, &type))
			printf("%" PRId64 "\n", value);
		else
			printf("none\n");
	} else if (!strcmp(what, "args") || !strcmp(what, "returns") ||
		   !strcmp(what, "at")) {
		ask_args(names, what, name);
	} else if (!strcmp(what, "line")) {
		ask_line(names, name);
	} else if (!strcmp(what, "event")) {
		ask_event(names, name);
	} else if (!strcmp(what, "frames")) {
		names_frames(names, strtoull(name, NULL, 0), show_frame, NULL);
	} else if (!strcmp(what, "usdt")) {
		names_usdts(names, show_usdt, name);
	} else {
		ask_syscall(names, what, name);
	}
	printf(".\n");
	fflush(stdout);
}

static struct names *open_dwarf(const char *file, pid_t pid, Dwfl **dwfl)
{
	static const Dwfl_Callbacks of_file = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
	};
	static const Dwfl_Callbacks of_process = {
		.find_elf = dwfl_linux_proc_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
	};

	*dwfl = dwfl_begin(pid ? &of_process : &of_file);
	if (!*dwfl ||
	    (pid ? dwfl_linux_proc_report(*dwfl, pid) :
		   !dwfl_report_offline(*dwfl, file, file, -1)))
		return NULL;
	dwfl_report_end(*dwfl, NULL, NULL);
	return names_of_dwfl(*dwfl);
}

int main(int argc, char **argv)
{
	struct names *names = NULL;
	Dwfl *dwfl = NULL;
	const char *why = "no such kind";
	char line[1024];

	if (argc == 2 && !strcmp(argv[1], "nothing"))
		names = names_of_nothing();
	else if (argc == 3 && !strcmp(argv[1], "btf"))
		names = names_of_kernel(argv[2], false, &why);
	else if (argc == 2 && !strcmp(argv[1], "kernel"))
		names = names_of_kernel(NULL, true, &why);
	else if (argc == 3 && !strcmp(argv[1], "dwarf"))
		names = open_dwarf(argv[2], 0, &dwfl);
	else if (argc == 3 && !strcmp(argv[1], "process"))
		names = open_dwarf(NULL, (pid_t)atoi(argv[2]), &dwfl);
	if (!names) {
		fprintf(stderr, "show: %s\n", why);
		return 1;
	}
	while (fgets(line, sizeof(line), stdin)) {
		char *name = strchr(line, ' ');

		line[strcspn(line, "\n")] = 0;
		if (!name)
			continue;
		*name++ = 0;
		ask(names, line, name);
	}
	names_free(names);
	dwfl_end(dwfl);
	return 0;
}
