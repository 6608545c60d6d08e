// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * output.c - messages, colours, progress.
 *
 * Owns: lines kept together, what goes to the terminal and when.  Progress is shown on standard
 * error, only on a terminal, from the first second on.
 */
#include "cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void cli_error(const char *fmt, ...)
{
	va_list args;

	cli_progress_end();
	fflush(stdout);
	fputs("kprobes: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
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

const char *cli_colour(enum cli_colour colour)
{
	static const char *const codes[] = {
		[CLI_PLAIN] = "\033[0m", [CLI_BOLD] = "\033[1m",
		[CLI_DIM] = "\033[2m", [CLI_RED] = "\033[31m",
		[CLI_GREEN] = "\033[32m", [CLI_YELLOW] = "\033[33m",
		[CLI_CYAN] = "\033[36m",
	};
	static int wanted = -1;
	const char *term = getenv("TERM"), *no = getenv("NO_COLOR");

	if (wanted < 0)
		wanted = isatty(1) && !(no && *no) && term &&
			 strcmp(term, "dumb");
	return wanted ? codes[colour] : "";
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
	if (!progress_what || !isatty(2) || now() < progress_next)
		return;
	progress_next = now() + 1;
	progress_shown = true;
	if (total)
		fprintf(stderr, "\r\033[K%s: %zu of %zu", progress_what, done,
			total);
	else if (done)
		fprintf(stderr, "\r\033[K%s: %zu", progress_what, done);
	else
		fprintf(stderr, "\r\033[K%s ...", progress_what);
	fflush(stderr);
}

void cli_progress_end(void)
{
	if (progress_shown)
		fputs("\r\033[K", stderr);
	progress_what = NULL;
	progress_shown = false;
}

/* ---- JSON ---------------------------------------------------------------------- */

void cli_json_string(const char *text, size_t len)
{
	size_t i;

	putchar('"');
	for (i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c == '"' || c == '\\')
			printf("\\%c", c);
		else if (c < ' ' || c == 0x7f)
			printf("\\u%04x", c);
		else
			putchar(c);
	}
	putchar('"');
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
