/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * bare.c - for a port that does not analyse what a handler may leave behind.
 *
 * Owns: the answer that any handler may leave something.
 */
#include "code.h"

bool kp_arch_leaves_nothing(uintptr_t addr,
			    int (*read)(uint8_t *dst, uintptr_t addr,
					size_t len),
			    bool (*patched)(uintptr_t addr, size_t len))
{
	(void)addr;
	(void)read;
	(void)patched;
	return false;
}
