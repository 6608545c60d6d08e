/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * error.c - errors of a script: the message, the position, and how they are shown.
 *
 * Owns: a script's first error, which ends the compilation.
 */
#include "front.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void front_line(const char *text, size_t len, uint32_t at, uint32_t *line,
		uint32_t *column)
{
	uint32_t i;

	*line = *column = 1;
	for (i = 0; i < at && i < len; i++) {
		++*column;
		if (text[i] == '\n') {
			++*line;
			*column = 1;
		}
	}
}

void front_say(struct front *f, struct trace_error *error, struct pos pos,
	       const char *format, va_list args)
{
	vsnprintf(error->text, sizeof(error->text), format, args);
	front_line(f->text, f->len, pos.at, &error->line, &error->column);
	error->width = pos.len ? pos.len : 1;
	error->warning = error != f->error;
}

noreturn void front_fail(struct front *f, struct pos pos, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	front_say(f, f->error, pos, format, args);
	va_end(args);
	longjmp(f->out, 1);
}

/* How many letters differ; more than 15 letters are not compared. */
static unsigned int distance(const char *a, const char *b)
{
	size_t a_len = strlen(a), b_len = strlen(b), i, j;
	unsigned int row[17], last, old;

	if (a_len > 15 || b_len > 15)
		return 16;
	for (j = 0; j <= b_len; j++)
		row[j] = (unsigned int)j;
	for (i = 1; i <= a_len; i++) {
		last = row[0];
		row[0] = (unsigned int)i;
		for (j = 1; j <= b_len; j++) {
			old = row[j];
			row[j] = last + (a[i - 1] != b[j - 1]);
			if (old + 1 < row[j])
				row[j] = old + 1;
			if (row[j - 1] + 1 < row[j])
				row[j] = row[j - 1] + 1;
			last = old;
		}
	}
	return row[b_len];
}

const char *front_meant(const char *name, const char *const *names, size_t nr)
{
	unsigned int least = 3, d;
	const char *meant = NULL;
	size_t i;

	for (i = 0; i < nr; i++) {
		d = distance(name, names[i]);
		if (d < least && d < strlen(name)) {
			least = d;
			meant = names[i];
		}
	}
	return meant;
}

/* The line that begins at or before column, as it is printed. */
static void show_line(FILE *out, const char *line, size_t len,
		      const struct trace_error *error)
{
	size_t i, from = error->column - 1, to = from + error->width;

	for (i = 0; i < len; i++)
		fputc((unsigned char)line[i] < ' ' ? ' ' : line[i], out);
	fputc('\n', out);
	if (to > len)
		to = len > from ? len : from + 1;
	for (i = 0; i < to; i++)
		fputc(i < from ? ' ' : '~', out);
	fputc('\n', out);
}

char *trace_error_show(const struct trace_error *error, const char *name,
		       const char *text, size_t len)
{
	const char *kind = error->warning ? "WARNING" : "ERROR";
	size_t shown_len, at = 0;
	uint32_t line = 1;
	const char *end;
	char *shown;
	FILE *out = open_memstream(&shown, &shown_len);

	if (!out)
		return NULL;
	if (!error->line) {
		fprintf(out, "%s: %s: %s\n", name, kind, error->text);
	} else {
		fprintf(out, "%s:%u:%u-%u: %s: %s\n", name, error->line,
			error->column, error->column + error->width, kind,
			error->text);
		while (line < error->line && at < len)
			line += text[at++] == '\n';
		end = memchr(text + at, '\n', len - at);
		show_line(out, text + at,
			  end ? (size_t)(end - text) - at : len - at, error);
	}
	fclose(out);
	return shown;
}
