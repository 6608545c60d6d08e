/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * shadow_stack.h - whether the calling thread has a second stack of return addresses.
 *
 * Owns: the question, as all processors but x86 have it.
 */
#ifndef KP_USER_SHADOW_STACK_H
#define KP_USER_SHADOW_STACK_H

#include "sys.h"

static inline bool kp_has_shadow_stack(void)
{
	unsigned long features = 0;

	/* PR_GET_SHADOW_STACK_STATUS */
	return !sys3(SYS_prctl, 74, &features, 0) && (features & 1);
}

#endif
