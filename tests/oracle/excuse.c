/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * excuse.c - where an oracle is wrong, word by word.
 *
 * Owns: using a processor's list, and which of its rows were needed: each must be.
 */
#include <stdio.h>

#include "isa.h"

#define EXCUSES 64

static size_t used[EXCUSES];

bool oracle_excuse(enum oracle oracle, uint32_t word, uint8_t class)
{
	const struct isa_excuse *excuse;

	for (excuse = isa.excuses; excuse->reason; excuse++) {
		if (excuse->oracle == oracle && excuse->class == class &&
		    (word & excuse->mask) == excuse->value &&
		    (!excuse->also || excuse->also(word))) {
			used[excuse - isa.excuses]++;
			return true;
		}
	}
	return false;
}

bool oracle_excused_word(size_t row, uint32_t any, uint32_t *word)
{
	if (!isa.excuses[row].reason || row >= EXCUSES)
		return false;
	*word = isa_cut((any & ~isa.excuses[row].mask) | isa.excuses[row].value);
	return true;
}

size_t oracle_unused_excuses(void)
{
	size_t i, unused = 0;

	for (i = 0; isa.excuses[i].reason; i++) {
		if (i < EXCUSES && used[i])
			continue;
		printf("# %08x needs no excuse: %s\n", isa.excuses[i].value, isa.excuses[i].reason);
		unused++;
	}
	return unused;
}
