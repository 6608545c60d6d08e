/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * vectors.h - the architecture contract: vector registers at hits without a trap.
 *
 * Owns: what the core asks of a port whose jumps or returns lead to handlers that may change
 * vector registers.  arch_probe.h supplies struct kp_arch_vectors.
 */
#ifndef KP_VECTORS_H
#define KP_VECTORS_H

#include "arch.h"

/*
 * Which vector registers a hit without a trap has to save, because a handler may change
 * them: none; a few of those that legacy SSE instructions can change; all of those; all
 * registers, with the state of both floating-point units; or all, in an image for a jprobe.
 */
enum kp_arch_keep {
	KP_ARCH_KEEP_NONE,
	KP_ARCH_KEEP_FEW,
	KP_ARCH_KEEP_LOW,
	KP_ARCH_KEEP_ALL,
	KP_ARCH_KEEP_IMAGE,
};
/* Call fn(arg), and save and restore what keep says around the call. */
void kp_arch_keeping(unsigned int keep, void (*fn)(void *arg), void *arg);
/* Called once, before the first hit that saves something. */
void kp_arch_vectors_start(void);

#endif
