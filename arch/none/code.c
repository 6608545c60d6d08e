/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * code.c - for a port that does not analyse which registers code uses.
 *
 * Owns: the answer that nothing is known about a function.
 */
#include "code.h"

enum kp_arch_purity
kp_arch_purity(uintptr_t addr,
	       int (*read)(uint8_t *dst, uintptr_t addr, size_t len),
	       bool (*known)(uintptr_t addr),
	       bool (*constant)(uintptr_t addr, uintptr_t *word))
{
	(void)addr;
	(void)read;
	(void)known;
	(void)constant;
	return KP_ARCH_PURE_NOT;
}

bool kp_arch_general_only(uintptr_t begin, uintptr_t end,
			  int (*read)(uint8_t *dst, uintptr_t addr, size_t len))
{
	(void)begin;
	(void)end;
	(void)read;
	return false;
}
