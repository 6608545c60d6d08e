/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * enter.h - entering and leaving the engine on a hit.
 *
 * Owns: the duties of port/host.h that a host may serve inline; here they are
 * functions.
 */
#ifndef KP_ENTER_H
#define KP_ENTER_H

#include "host.h"

struct kp_context *kp_host_enter_detour(struct kp_host_saved *saved);
void kp_host_leave_detour(struct kp_context *ctx,
			  const struct kp_host_saved *saved);
void kp_host_direct_saved(struct kp_host_saved *saved);
static inline void kp_host_note(struct kp_context *ctx) { (void)ctx; }
static inline void kp_host_note_nothing(struct kp_context *ctx) { (void)ctx; }

/* Hits have no frame of ours. */
static inline void kp_host_guard(struct kp_arch_guard *guard,
				 struct pt_regs *regs, bool traced)
{
	(void)guard;
	(void)regs;
	(void)traced;
	kp_host_broken("a frame that nobody made");
}

#endif
