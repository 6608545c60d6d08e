// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fuzz names: files with DWARF, BTF and notes for probes: what the jail reads for a
 * script's names (trace/names).
 */
#include "fuzz.h"

#include "../../trace/names/names.h"
#include "elves.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile size_t seen;

static void look_at_type(const struct ctype *type, unsigned int depth)
{
	uint32_t i;

	if (!type || depth > 4)
		return;
	seen += strlen(type->name) + type->size;
	if (type->to)
		look_at_type(type->to, depth + 1);
	for (i = 0; i < type->fields_nr && i < 200; i++) {
		seen += strlen(type->fields[i].name);
		if (type->values)
			seen += (size_t)type->values[i];
		else
			look_at_type(type->fields[i].type, depth + 1);
	}
}

static void look_at_args(const struct trace_arg *args, uint32_t nr,
			 const char *why)
{
	uint32_t i;

	if (!args)
		seen += strlen(why);
	for (i = 0; args && i < nr; i++) {
		seen += strlen(args[i].name);
		if (args[i].kind == TRACE_ARG_NOWHERE)
			seen += strlen(args[i].why);
		look_at_type(args[i].type, 0);
	}
}

static void ask_args(struct names *names, const struct names_place *place)
{
	const struct trace_arg *args;
	const char *why = "";
	uint32_t nr;

	args = names_args(names, place, &nr, &why);
	look_at_args(args, nr, why);
}

static void take_frame(void *arg, const struct names_frame *frame)
{
	(void)arg;
	seen += strlen(frame->function) + (frame->file ? strlen(frame->file) : 0);
}

static void take_line(void *arg, const struct names_line *line)
{
	struct names_place place = { .function = line->function };

	seen += strlen(line->function);
	place.addr = line->addr;
	ask_args(arg, &place);
	names_frames(arg, line->addr, take_frame, NULL);
	place.addr++;
	ask_args(arg, &place);
}

static void take_usdt(void *arg, const struct names_usdt *usdt)
{
	(void)arg;
	seen += strlen(usdt->object) + strlen(usdt->provider) +
		strlen(usdt->name);
	look_at_args(usdt->args, usdt->args_nr, "");
}

static void ask(struct names *names)
{
	static const char *const types[] = {
		"struct node", "struct inner *", "pair_t", "struct bits",
		"struct tight", "enum level", "union nosuch", "size_t",
	};
	static const char *const functions[] = {
		"main", "many", "mixed", "locals", "twice", "plain",
	};
	struct names_place place = { 0 };
	const char *why;
	const struct ctype *owner;
	int64_t value;
	size_t i;
	int line;

	if (!names)
		return;
	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		place.function = functions[i];
		for (place.offset = 0; place.offset < 24; place.offset += 6)
			ask_args(names, &place);
		place.returns = true;
		ask_args(names, &place);
		place.returns = false;
	}
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		look_at_type(names_type(names, types[i]), 0);
	seen += names_constant(names, "HIGH", &value, &owner);
	for (line = 20; line < 60; line += 10) {
		names_lines(names, "subject.c", line, take_line, names, &why);
		names_lines(names, "inlined.c", line, take_line, names, &why);
	}
	names_usdts(names, take_usdt, NULL);
	names_free(names);
}

static const char *run(const uint8_t *bytes, size_t len)
{
	struct view view = { .fd = -1, .file = "fuzz" };
	int fd = fuzz_file(bytes, len);
	Dwfl *dwfl = elves_begin(&view);
	const char *why;
	char path[40];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ask(names_of_kernel(path, false, &why));
	if (!dwfl || !dwfl_report_offline(dwfl, "fuzz", "fuzz", fd))
		close(fd);
	if (dwfl) {
		dwfl_report_end(dwfl, NULL, NULL);
		ask(names_of_dwfl(dwfl));
		dwfl_end(dwfl);
	}
	return NULL;
}

const struct fuzz_target fuzz_names = {
	.name = "names", .run = run, .jailed = true,
};
