/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * watch.c - words as debug registers have them, for a port whose host has none either.
 *
 * Owns: how long one may be.  Whether there are any, the host is asked after that.
 */
#include "watch.h"

unsigned int kp_arch_watch_len(uintptr_t addr, size_t len)
{
	unsigned int word = 8;

	while (word > len || (addr & (word - 1)))
		word /= 2;
	return word;
}
