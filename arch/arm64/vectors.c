/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * vectors.c - which vector registers this machine has.
 *
 * Owns: what vectors_entry.S has to know to save them.  For hosts whose handlers may
 * use vector registers.
 *
 * Written once, before the first hit.
 */
#include "probe.h"
#include "vectors.h"

_Static_assert(KP_ARCH_KEEP_IMAGE == 4, "vectors_entry.S: KEEP_IMAGE");
_Static_assert(offsetof(struct kp_arch_vectors, image) == 0 &&
	       offsetof(struct kp_arch_vectors, keep) == 8, "vectors_entry.S");

#define HIDDEN extern __attribute__((visibility("hidden")))
/* There are registers of more than 16 bytes (SVE), or of streaming mode (SME). */
HIDDEN uint32_t kp_arch_vectors_long, kp_arch_vectors_streams;
uint32_t kp_arch_vectors_long, kp_arch_vectors_streams;

/* Linux lets processes read these, and shows what they may use. */
void kp_arch_vectors_start(void)
{
	uint64_t pfr0, pfr1;

	__asm__("mrs	%0, S3_0_C0_C4_0" : "=r"(pfr0));	/* ID_AA64PFR0_EL1 */
	__asm__("mrs	%0, S3_0_C0_C4_1" : "=r"(pfr1));	/* ID_AA64PFR1_EL1 */
	kp_arch_vectors_streams = pfr1 >> 24 & 15;
	kp_arch_vectors_long = pfr0 >> 32 & 15;
}
