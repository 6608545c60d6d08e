// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * printable.c - what may reach a terminal.
 *
 * Owns: the one filter behind standard output and standard error.  Names and texts of processes
 * and files are not ours: a control character in them would be a command to the terminal.  All
 * output passes this filter, so no code that prints can forget it.  Anything but printable UTF-8
 * characters, blanks, tabs and newlines is shown as \xNN.
 *
 * Our own escape sequences pass as marks that contain a random number, drawn when the command
 * starts, so no text can contain one.
 */
#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define MARK 1				/* begins a mark: then KEY_LEN, a letter */
#define KEY_LEN 16
#define MARK_LEN (KEY_LEN + 2)
#define FIRST_LETTER 'a'

static char key[KEY_LEN + 1];		/* written once, before the first mark */

static const char *const sequences[] = {
	[CLI_PLAIN] = "\033[0m", [CLI_BOLD] = "\033[1m", [CLI_DIM] = "\033[2m",
	[CLI_RED] = "\033[31m", [CLI_GREEN] = "\033[32m",
	[CLI_YELLOW] = "\033[33m", [CLI_CYAN] = "\033[36m",
	[CLI_WIPE] = "\r\033[K",
	[CLI_HOME] = "\033[H", [CLI_REST] = "\033[K", [CLI_BELOW] = "\033[J",
};
#define SEQUENCES_NR (sizeof(sequences) / sizeof(sequences[0]))

/* ---- characters ----------------------------------------------------------- */

/* Of control, or such that what follows is shown in another order or not. */
static bool is_shown(uint32_t c)
{
	if (c < 0x7f)
		return c >= 0x20;
	if (c < 0xa0)
		return false;
	if (c == 0xad || c == 0x61c || c == 0x180e || c == 0xfeff)
		return false;
	return !(c >= 0x200b && c <= 0x200f) && !(c >= 0x2028 && c <= 0x202e) &&
	       !(c >= 0x2060 && c <= 0x206f) && !(c >= 0xfff0 && c <= 0xfffb) &&
	       !(c >= 0xe0000 && c <= 0xe0fff);
}

/*
 * The bytes of the character that text begins with, if it may be shown; 0: the
 * first byte may not; -1: text ends within it.
 */
int cli_character(const char *text, size_t len)
{
	const unsigned char *s = (const unsigned char *)text;
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	int nr = s[0] < 0x80 ? 1 : s[0] >> 5 == 6 ? 2 : s[0] >> 4 == 14 ? 3 :
		 s[0] >> 3 == 30 ? 4 : 0, i;
	uint32_t c = nr == 1 ? s[0] : s[0] & (0x7fu >> nr);

	for (i = 1; i < nr; i++) {
		if ((size_t)i == len)
			return -1;
		if (s[i] >> 6 != 2)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (!nr || c < least[nr] || c > 0x10ffff || c >> 11 == 0x1b)
		return 0;
	return is_shown(c) ? nr : 0;
}

size_t cli_shown(const char *text, size_t len)
{
	size_t at = 0;
	int nr;

	while (at < len) {
		if (text[at] >= 0x20 && text[at] < 0x7f) {
			at++;		/* nearly all of nearly all names */
			continue;
		}
		nr = cli_character(text + at, len - at);
		if (nr <= 0)
			break;
		at += (size_t)nr;
	}
	return at;
}

char *cli_escaped(const char *text)
{
	size_t len = strlen(text), used = 0, at;
	char *out;

	if (cli_shown(text, len) == len)
		return strdup(text);
	out = malloc(len * 4 + 1);
	for (at = 0; out && at < len;) {
		int nr = cli_character(text + at, len - at);

		if (nr > 0) {
			memcpy(out + used, text + at, (size_t)nr);
			used += (size_t)nr;
			at += (size_t)nr;
		} else {
			used += (size_t)sprintf(out + used, "\\x%02x",
						(unsigned char)text[at++]);
		}
	}
	if (out)
		out[used] = 0;
	return out;
}

/* ---- the filter ------------------------------------------------------------- */

struct filter {
	int fd;
	char held[MARK_LEN];		/* the beginning of something */
	size_t held_nr;
};
static struct filter filters[3];	/* by descriptor */

static bool put_all(int fd, const char *bytes, size_t len)
{
	while (len) {
		ssize_t put = write(fd, bytes, len);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return false;
		bytes += put;
		len -= (size_t)put;
	}
	return true;
}

/* What a mark stands for; NULL: text is none.  *nr as cli_character(). */
static const char *sequence_of(const char *text, size_t len, int *nr)
{
	size_t known = len < KEY_LEN + 1 ? len : KEY_LEN + 1, which;

	*nr = 0;
	if (text[0] != MARK || !key[0] || memcmp(text + 1, key, known - 1))
		return NULL;
	*nr = -1;
	if (len < MARK_LEN)
		return NULL;
	which = (size_t)(text[MARK_LEN - 1] - FIRST_LETTER);
	*nr = which < SEQUENCES_NR ? MARK_LEN : 0;
	return *nr ? sequences[which] : NULL;
}

/* One thing of text into out (MARK_LEN bytes); how much of text; -1: more. */
static int filter_one(const char *text, size_t len, char *out, size_t *out_nr)
{
	int nr = cli_character(text, len);
	const char *sequence;

	if (nr > 0 || text[0] == '\n' || text[0] == '\t') {
		nr = nr > 0 ? nr : 1;
		memcpy(out, text, (size_t)nr);
		*out_nr = (size_t)nr;
		return nr;
	}
	sequence = nr ? NULL : sequence_of(text, len, &nr);
	if (sequence)
		*out_nr = (size_t)sprintf(out, "%s", sequence);
	else if (!nr)
		*out_nr = (size_t)sprintf(out, "\\x%02x",
					  (unsigned char)text[0]);
	return sequence || nr ? nr : 1;
}

static ssize_t pass(void *cookie, const char *text, size_t len)
{
	struct filter *filter = cookie;
	size_t all = filter->held_nr + len, at = 0, used = 0, made = 0;
	char out[4096], *joined = malloc(all);
	bool good = joined;

	if (!joined)
		return 0;
	memcpy(joined, filter->held, filter->held_nr);
	memcpy(joined + filter->held_nr, text, len);
	filter->held_nr = 0;
	while (good && at < all) {
		int took = filter_one(joined + at, all - at, out + used, &made);

		if (took < 0) {
			filter->held_nr = all - at;
			memcpy(filter->held, joined + at, all - at);
			break;
		}
		at += (size_t)took;
		used += made;
		if (used > sizeof(out) - MARK_LEN) {
			good = put_all(filter->fd, out, used);
			used = 0;
		}
	}
	free(joined);
	return good && put_all(filter->fd, out, used) ? (ssize_t)len : 0;
}

static FILE *filtered(int fd, int mode)
{
	static const cookie_io_functions_t calls = { .write = pass };
	FILE *stream;

	filters[fd].fd = fd;
	stream = fopencookie(&filters[fd], "w", calls);
	if (stream)
		setvbuf(stream, NULL, mode, 0);
	return stream;
}

static void draw_key(void)
{
	unsigned char bytes[KEY_LEN / 2];
	size_t i;

	/* Without one there are no marks, so no colours. */
	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return;
	for (i = 0; i < sizeof(bytes); i++)
		sprintf(key + 2 * i, "%02x", bytes[i]);
}

const char *cli_mark(enum cli_colour colour)
{
	static char marks[SEQUENCES_NR][MARK_LEN + 1];

	if (!key[0])
		return "";
	snprintf(marks[colour], sizeof(marks[colour]), "%c%s%c", MARK, key,
		 FIRST_LETTER + (int)colour);
	return marks[colour];
}

bool cli_filter_output(void)
{
	FILE *out = filtered(STDOUT_FILENO,
			     isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF);
	FILE *err = filtered(STDERR_FILENO, _IONBF);

	if (!out || !err)
		return false;
	draw_key();
	stdout = out;
	stderr = err;
	return true;
}
