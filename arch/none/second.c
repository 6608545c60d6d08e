/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * second.c - for a port that does not analyse what a handler does with its registers.
 *
 * Owns: the answer that any handler may write them.
 */
#include "code.h"

bool kp_arch_spares_second(uintptr_t addr,
			   int (*read)(uint8_t *dst, uintptr_t addr,
				       size_t len),
			   bool (*patched)(uintptr_t addr, size_t len))
{
	(void)addr;
	(void)read;
	(void)patched;
	return false;
}
