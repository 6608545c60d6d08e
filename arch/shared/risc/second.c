/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * second.c - what is asked of a function's code, for processors whose instructions are words.
 *
 * Owns: the two questions, and the walk over all blocks; what an instruction does a port's
 * own second.c knows.
 */
#include "second.h"

/* From addr on: each block as often as ways to it change what is known there. */
static bool walk_all(struct walk *w, uintptr_t addr)
{
	unsigned int i = 0;

	add_block(w, addr, (struct known) { .second = true });
	while (i < w->nr) {
		if (w->block[i].done) {
			i++;
			continue;
		}
		w->block[i].done = true;
		if (!kp_words_walk_block(w, &w->block[i]))
			return false;
		i = 0;
	}
	return true;
}

bool kp_arch_spares_second(uintptr_t addr,
			   int (*read)(uint8_t *dst, uintptr_t addr, size_t len),
			   bool (*patched)(uintptr_t addr, size_t len))
{
	struct walk w = { .read = read, .patched = patched };

	return walk_all(&w, addr);
}

bool kp_arch_leaves_nothing(uintptr_t addr,
			    int (*read)(uint8_t *dst, uintptr_t addr, size_t len),
			    bool (*patched)(uintptr_t addr, size_t len))
{
	struct walk w = { .read = read, .patched = patched, .bare = true };

	return walk_all(&w, addr);
}
