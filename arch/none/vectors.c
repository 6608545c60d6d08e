/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * vectors.c - for a port where every hit is a trap, which saves vector registers.
 *
 * Owns: the answer that nothing has to be saved.
 */
#include "vectors.h"

KP_TRAP_PATH void kp_arch_keeping(unsigned int keep, void (*fn)(void *arg),
				  void *arg)
{
	(void)keep;
	fn(arg);
}

void kp_arch_vectors_start(void)
{
}
