/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * landing.h - where a jump changed bytes of other instructions.
 */
#ifndef KP_CORE_LANDING_H
#define KP_CORE_LANDING_H

#include "site.h"

void kp_landing_looked(void);		/* what was disturbed is being seen to */
bool kp_landing_find(uintptr_t addr, uintptr_t *body);		/* any */
bool kp_landing_put_back(uintptr_t addr, uintptr_t *body);	/* any */
bool kp_landing_astray(uintptr_t addr, uintptr_t *body);	/* any */
bool kp_landing_stale(struct kp_context *ctx, uintptr_t addr);	/* any */
/* Where the instruction behind the probed one is to be executed. */
uintptr_t kp_landing_next(struct kp_site *site);		/* any */
/* The IP is in a head, slot or chain: as if at the original.  NULL: it is not. */
struct kp_site *kp_landing_leave(struct pt_regs *regs, bool *probed); /* any */
uintptr_t kp_landing_original(uintptr_t ip);			/* any */
bool kp_landing_stepped(struct pt_regs *regs);			/* any */

#endif
