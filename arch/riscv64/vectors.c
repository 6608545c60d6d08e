/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * vectors.c - the registers for floating point are the same on all machines.
 *
 * Owns: kp_arch_vectors_start, which has nothing to find out; vectors_entry.S keeps them.
 */
#include "probe.h"
#include "vectors.h"

void kp_arch_vectors_start(void)
{
}
