/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * vectors.c - nothing is to be found out of the registers that vectors_entry.S keeps.
 *
 * Owns: nothing; it fills the contract of port/vectors.h.
 */
#include "probe.h"
#include "vectors.h"

void kp_arch_vectors_start(void)
{
}
