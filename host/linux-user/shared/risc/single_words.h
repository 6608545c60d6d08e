/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * single_words.h - how two words change where no known instruction stores 16 bytes at once.
 *
 * Owns: that: one after the other, which is as good there.  Trap path.
 */
#ifndef KP_USER_SINGLE_WORDS_H
#define KP_USER_SINGLE_WORDS_H

#define KP_SWAPS_ANYWHERE 0	/* atomically, at a boundary of its length */

static inline bool kp_swap_pair_if(void *at, uint64_t old[2], const uint64_t new[2])
{
	uint64_t *words = at;

	(void)old;
	__atomic_store_n(&words[0], new[0], __ATOMIC_RELEASE);
	__atomic_store_n(&words[1], new[1], __ATOMIC_RELEASE);
	return true;
}

#endif
