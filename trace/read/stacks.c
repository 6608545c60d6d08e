// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * stacks.c - addresses by name, and stacks of them.
 *
 * Owns: the forms of a stack: one line for each function, the innermost first.  The number of a
 * stack is hostile, and so are its frames: an address is only looked up.
 */
#include "read.h"

#include <inttypes.h>
#include <string.h>

#define INDENT 8
#define INDENT_KEY 4

void read_show_symbol(const struct trace_reader *reader, bool kernel, u32 pid,
		      u64 addr, unsigned int how, struct read_text *text)
{
	const struct trace_symbols *symbols = &reader->symbols;
	char name[8192];		/* with all that is inlined there */

	if (symbols->symbol && symbols->symbol(symbols->arg, kernel, pid, addr, how,
					       name, sizeof(name)))
		read_put(text, name, strnlen(name, sizeof(name)));
	else
		read_printf(text, "0x%" PRIx64, addr);
}

static void show_object(const struct trace_reader *reader, bool kernel, u32 pid,
			u64 addr, struct read_text *text)
{
	const struct trace_symbols *symbols = &reader->symbols;
	char name[1024];

	if (!symbols->object ||
	    !symbols->object(symbols->arg, kernel, pid, addr, name, sizeof(name))) {
		if (kernel)
			return;
		strcpy(name, "[unknown]");
	}
	read_puts(text, " (");
	read_put(text, name, strnlen(name, sizeof(name)));
	read_puts(text, ")");
}

bool read_with_lines(const struct trace_type *type)
{
	return type->format && !strcmp(type->format, "lines");
}

unsigned int read_frame_how(u32 frame, bool lines)
{
	return (frame ? TRACE_OF_CALLER : 0) | (lines ? TRACE_WITH_INLINED : 0);
}

u32 read_frames(const struct trace_reader *reader,
		const struct read_value *value, u64 *frames, u32 *pid)
{
	u64 word = read_word(value->bytes, value->len, 0);
	u32 most = value->type->frames;
	bool kernel = value->type->kind == TRACE_KSTACK;

	*pid = kernel ? 0 : read_whose(reader, value->vm, (u32)(word >> 32));
	if (!most || most > KT_DEPTH_MAX)
		most = KT_DEPTH_MAX;
	if (kernel && word >> 32)
		return 0;
	return kt_stack_get(value->vm, (u32)word, frames, most);
}

/* What the frames of a stack look like. */
struct form {
	bool kernel, perf, raw, lines;
	u32 pid, indent;
};

/* A line for each function that is inlined there, and the one that it is in. */
static void show_frame(const struct trace_reader *reader, const struct form *form,
		       u32 number, u64 addr, struct read_text *text)
{
	struct read_text names = { 0 };
	const char *at, *end, *line;

	if (form->raw)
		read_printf(&names, "%" PRIx64, addr);
	else
		read_show_symbol(reader, form->kernel, form->pid, addr,
				 read_frame_how(number, form->lines) |
				 TRACE_WITH_OFFSET |
				 (form->lines ? TRACE_WITH_LINES : 0), &names);
	end = names.bytes + names.len;
	for (at = names.bytes; at < end; at = line + 1) {
		line = memchr(at, '\n', (size_t)(end - at));
		line = line ? line : end;
		if (form->perf)
			read_printf(text, "\t%" PRIx64 " ", addr);
		else
			read_fill(text, ' ', form->indent);
		read_put(text, at, (size_t)(line - at));
		if (form->perf)
			show_object(reader, form->kernel, form->pid, addr, text);
		read_puts(text, "\n");
	}
	read_text_free(&names);
}

void read_show_stack(const struct trace_reader *reader,
		     const struct read_value *value, struct read_text *text)
{
	const char *format = value->type->format ? value->type->format : "";
	struct form form = {
		.kernel = value->type->kind == TRACE_KSTACK,
		.perf = !strcmp(format, "perf"), .raw = !strcmp(format, "raw"),
		.lines = read_with_lines(value->type),
		.indent = value->key ? INDENT_KEY : INDENT,
	};
	u64 frames[KT_DEPTH_MAX];
	u32 nr = read_frames(reader, value, frames, &form.pid), i;

	read_puts(text, "\n");
	for (i = 0; i < nr; i++)
		show_frame(reader, &form, i, frames[i], text);
}
