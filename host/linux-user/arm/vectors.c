// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * vectors.c - which registers besides the general ones this machine has.
 *
 * Owns: what arch/arm/vectors_entry.S has to know to save them: those of d0 to d15 are
 * everywhere where programs are made for hard floating point.
 *
 * Written once, before the first hit.
 */
#include "arch.h"
#include "face.h"
#include "vectors.h"

#include <sys/auxv.h>

#define HWCAP_D32 (1ul << 19)

extern __attribute__((visibility("hidden"))) uint32_t kp_arch_vectors_wide;

void kp_arch_vectors_start(void)
{
	kp_arch_vectors_wide = !!(kp_face_auxv(AT_HWCAP) & HWCAP_D32);
}
