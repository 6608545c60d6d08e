// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * similar.c - what a misspelt word was meant to be.
 *
 * Owns: the distance between two words, and the nearest of several.
 */
#include "cli.h"

#include <string.h>

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
