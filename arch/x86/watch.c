/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * watch.c - what a debug register can hold.
 *
 * Owns: the lengths.  DR7 supports 1, 2 and 4 bytes, in 64-bit mode also 8, and ignores the
 * address bits below that.
 */
#include "watch.h"

unsigned int kp_arch_watch_len(uintptr_t addr, size_t len)
{
	unsigned int word = KP_X86_WORD;

	while (word > len || (addr & (word - 1)))
		word /= 2;
	return word;
}
