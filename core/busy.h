/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * busy.h - is a context busy, or was what it was busy with left behind?
 */
#ifndef KP_CORE_BUSY_H
#define KP_CORE_BUSY_H

#include "site.h"

/*
 * Do handlers of a hit run in this context, while something with this stack pointer
 * happens?  Once they were left behind: no.  Any context.
 */
bool kp_context_busy(struct kp_context *ctx, uintptr_t sp);
/* For who entered a context that has a site: may its handlers run after all? */
bool kp_context_enter_again(struct kp_context *ctx, struct kp_host_saved *saved,
			    uintptr_t sp);			/* any context */
/* Is this a handler of a probe? */
bool kp_in_handler(void);

#endif
