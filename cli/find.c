// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * find.c - abbreviations and misspellings on the command line.
 *
 * Owns: the location of the probe modules that came with the command, and the nearest spelling
 * of a word.
 */
#include "cli.h"
#include "object.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- probe modules ------------------------------------------------------------ */

/* Beside the command: as installed, and in the source tree. */
static const char *const places[] = {
	"../lib/kprobes", "../lib/" OBJECT_TRIPLET "/kprobes", "modules",
	"../samples",
};

static bool is_there(char path[PATH_MAX], const char *self,
		     const char *place, const char *name, const char *end)
{
	char joined[PATH_MAX];

	return snprintf(joined, sizeof(joined), "%s/%s/%s%s", self, place, name,
			end) < PATH_MAX && realpath(joined, path);
}

const char *cli_own_module(const char *name)
{
	static char path[PATH_MAX];
	char self[PATH_MAX - 64], *slash;
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	size_t i;

	if (len <= 0)
		return NULL;
	self[len] = 0;
	slash = strrchr(self, '/');
	*slash = 0;
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (is_there(path, self, places[i], name, ".so") ||
		    (strstr(name, ".so") &&
		     is_there(path, self, places[i], name, "")))
			return path;
	return NULL;
}

const char *cli_find_module(const char *name)
{
	const char *own = NULL;

	if (!strchr(name, '/') && access(name, F_OK))
		own = cli_own_module(name);
	return own ? own : name;
}

/* ---- spelling ----------------------------------------------------------------- */

#define WORD_MAX 64

static unsigned int least(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/* How many letters to change, add, leave out or swap with their neighbours. */
static unsigned int distance(const char *a, const char *b)
{
	unsigned int rows[3][WORD_MAX + 1], *now, *before, *earlier, best;
	size_t la = strlen(a), lb = strlen(b), i, j;

	if (la > WORD_MAX || lb > WORD_MAX)
		return WORD_MAX;
	for (j = 0; j <= lb; j++)
		rows[0][j] = (unsigned int)j;
	for (i = 1; i <= la; i++) {
		now = rows[i % 3];
		before = rows[(i + 2) % 3];
		earlier = rows[(i + 1) % 3];
		now[0] = (unsigned int)i;
		for (j = 1; j <= lb; j++) {
			best = least(before[j] + 1, now[j - 1] + 1,
				     before[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1] && earlier[j - 2] + 1 < best)
				best = earlier[j - 2] + 1;
			now[j] = best;
		}
	}
	return rows[la % 3][lb];
}

void cli_similar(struct cli_similar *similar, const char *word,
		 const char *candidate)
{
	/* One mistake in three letters, three at most. */
	size_t len = strlen(word);
	unsigned int most = len < 3 ? 1 : len < 9 ? (unsigned int)len / 3 : 3;
	unsigned int far = distance(word, candidate);

	if (far > most || (similar->word && far >= similar->distance))
		return;
	similar->word = candidate;
	similar->distance = far;
}
