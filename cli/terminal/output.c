// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * output.c - messages, colours, progress, JSON.
 *
 * Owns: keeping lines together, and what goes to the terminal when.  Progress is shown on
 * standard error, only on a terminal, from the first second on.  printable.c decides what may be
 * shown.
 */
#include "cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* One line, whatever a process has put into it. */
void cli_error(const char *fmt, ...)
{
	char *text = NULL, *line = NULL;
	va_list args;

	cli_progress_end();
	fflush(stdout);
	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	va_end(args);
	if (text)
		line = cli_escaped(text);
	fprintf(stderr, "kprobes: %s\n", line ? line : "out of memory");
	free(line);
	free(text);
}

int cli_status_of(int err)
{
	switch (err < 0 ? -err : err) {
	case 0:
		return CLI_OK;
	case ENOENT:
	case ESRCH:
		return CLI_ABSENT;
	case EPERM:
	case EACCES:
		return CLI_DENIED;
	case EOPNOTSUPP:
	case EILSEQ:
		return CLI_REFUSED;
	}
	return CLI_FAILED;
}

static bool shows_colour, shows_progress, is_screen;

void cli_output_begin(void)
{
	const char *term = getenv("TERM"), *no = getenv("NO_COLOR");

	shows_progress = isatty(STDERR_FILENO);
	is_screen = isatty(STDOUT_FILENO) && term && strcmp(term, "dumb");
	shows_colour = is_screen && !(no && *no);
	/* What cannot be made harmless is not shown. */
	if (!cli_filter_output())
		_exit(CLI_FAILED);
}

const char *cli_colour(enum cli_colour colour)
{
	return shows_colour ? cli_mark(colour) : "";
}

const char *cli_screen(enum cli_colour what)
{
	return is_screen ? cli_mark(what) : "";
}

/* ---- progress ------------------------------------------------------------------ */

static const char *progress_what;	/* NULL: none */
static double progress_next;		/* when to show the next line */
static bool progress_shown;

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

void cli_progress_begin(const char *what)
{
	progress_what = what;
	progress_next = now() + 1;
	progress_shown = false;
}

void cli_progress(size_t done, size_t total)
{
	const char *wipe = cli_mark(CLI_WIPE);

	if (!progress_what || !shows_progress || now() < progress_next)
		return;
	progress_next = now() + 1;
	progress_shown = true;
	if (total)
		fprintf(stderr, "%s%s: %zu of %zu", wipe, progress_what, done,
			total);
	else if (done)
		fprintf(stderr, "%s%s: %zu", wipe, progress_what, done);
	else
		fprintf(stderr, "%s%s ...", wipe, progress_what);
	fflush(stderr);
}

void cli_progress_end(void)
{
	if (progress_shown)
		fputs(cli_mark(CLI_WIPE), stderr);
	progress_what = NULL;
	progress_shown = false;
}

/* ---- JSON ---------------------------------------------------------------------- */

/* Characters that are shown, as they are; others escaped; bytes that are none of
 * UTF-8 as the text \\xNN, since JSON has no bytes. */
void cli_json_string(const char *text, size_t len)
{
	size_t at = 0;

	putchar('"');
	while (at < len) {
		unsigned char c = (unsigned char)text[at];
		int nr = cli_character(text + at, len - at);

		if (c == '"' || c == '\\')
			printf("\\%c", c);
		else if (nr > 0)
			fwrite(text + at, 1, (size_t)nr, stdout);
		else if (c < 0x80)
			printf("\\u%04x", c);
		else
			printf("\\\\x%02x", c);
		at += nr > 0 ? (size_t)nr : 1;
	}
	putchar('"');
}

void cli_print_line(const char *line, size_t len)
{
	size_t at = 0, nr;

	while (at < len) {
		nr = cli_shown(line + at, len - at);
		fwrite(line + at, 1, nr, stdout);
		at += nr;
		if (at < len)
			printf("\\x%02x", (unsigned char)line[at++]);
	}
}

void cli_lines_add(void *arg, const char *text, size_t len)
{
	struct cli_lines *lines = arg;
	char *more = realloc(lines->text, lines->len + len + 1);

	if (!more)
		return;
	memcpy(more + lines->len, text, len);
	lines->text = more;
	lines->len += len;
	more[lines->len] = 0;
}
