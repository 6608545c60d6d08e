/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * watch.c - what a watchpoint can hold.
 *
 * Owns: the lengths.  DBGWCR selects bytes of one aligned double word; whole powers of
 * two are what every kernel takes.
 */
#include "watch.h"

unsigned int kp_arch_watch_len(uintptr_t addr, size_t len)
{
	unsigned int word = 8;

	while (word > len || (addr & (word - 1)))
		word /= 2;
	return word;
}
