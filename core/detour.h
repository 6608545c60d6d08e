/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * detour.h - a hit through a jump.
 */
#ifndef KP_CORE_DETOUR_H
#define KP_CORE_DETOUR_H

#include "site.h"

/*
 * A fault in ctx, at regs: if that is in a lean handler, its child becomes
 * ctx->current, and the guard is made, until kp_detour_lean_go_on or until it is
 * abandoned.  Any context.
 */
void kp_detour_lean_fault(struct kp_context *ctx, struct pt_regs *regs);
void kp_detour_lean_go_on(struct kp_context *ctx);

#endif
