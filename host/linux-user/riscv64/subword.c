/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * subword.c - compare and swap of bytes and halves of words.
 *
 * Owns: what GCC calls for them, since no instruction does it.  The aligned word around is
 * compared and swapped; what else is in it may change meanwhile, and is kept.
 */
#include "env.h"

#define HIDDEN __attribute__((visibility("hidden")))

HIDDEN bool kp_swap_1(volatile void *at, void *expected, unsigned char desired, bool weak,
		      int success, int failure) __asm__("__atomic_compare_exchange_1");
HIDDEN bool kp_swap_2(volatile void *at, void *expected, unsigned short desired, bool weak,
		      int success, int failure) __asm__("__atomic_compare_exchange_2");

/* expected becomes what is there if it is not that. */
KP_TRAP_PATH static bool swap(volatile void *at, void *expected, uint32_t desired,
			      unsigned int len)
{
	uint32_t *word = (uint32_t *)((uintptr_t)at & ~3ul);
	unsigned int shift = ((uintptr_t)at & 3) * 8;
	uint32_t mask = (len == 1 ? 0xffu : 0xffffu) << shift, wanted = 0, seen, new;

	memcpy(&wanted, expected, len);
	seen = __atomic_load_n(word, __ATOMIC_ACQUIRE);
	do {
		uint32_t part = (seen & mask) >> shift;

		if (part != wanted) {
			memcpy(expected, &part, len);
			return false;
		}
		new = (seen & ~mask) | desired << shift;
	} while (!__atomic_compare_exchange_n(word, &seen, new, false, __ATOMIC_SEQ_CST,
					      __ATOMIC_ACQUIRE));
	return true;
}

KP_TRAP_PATH bool kp_swap_1(volatile void *at, void *expected, unsigned char desired, bool weak,
			    int success, int failure)
{
	(void)weak;
	(void)success;
	(void)failure;
	return swap(at, expected, desired, 1);
}

KP_TRAP_PATH bool kp_swap_2(volatile void *at, void *expected, unsigned short desired, bool weak,
			    int success, int failure)
{
	(void)weak;
	(void)success;
	(void)failure;
	return swap(at, expected, desired, 2);
}
