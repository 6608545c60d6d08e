/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * around.c - for a port whose instructions do not depend on being uninterrupted.
 *
 * Owns: the answer that a trap disturbs nothing around it.
 */
#include "arch.h"

int kp_arch_refuse_around(uintptr_t start, size_t len, uintptr_t addr,
			  unsigned int text_flags,
			  int (*read)(uint8_t *dst, uintptr_t addr, size_t len),
			  const char **reason)
{
	(void)text_flags;
	(void)start;
	(void)len;
	(void)addr;
	(void)read;
	(void)reason;
	return 0;
}
