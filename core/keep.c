/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * keep.c - what of the vector registers a handler may change.
 *
 * Owns: the judgement of one handler, from its code.  Where the host's handlers
 * never touch them, or the registers are saved by a trap, nobody asks.
 *
 * No locks: reads text only.  Registry context.
 */
#include "site.h"

enum kp_arch_keep kp_keep_for(const void *handler)
{
	if (!handler || !kp_host_vectors_live())
		return KP_ARCH_KEEP_NONE;
	switch (kp_arch_purity((uintptr_t)handler, kp_original_read, NULL)) {
	case KP_ARCH_PURE_GPR:
		return KP_ARCH_KEEP_NONE;
	case KP_ARCH_PURE_XMM:
		return KP_ARCH_KEEP_XMM;
	default:
		return KP_ARCH_KEEP_ALL;
	}
}
