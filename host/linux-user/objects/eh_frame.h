/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * eh_frame.h - function bounds from unwind information.
 *
 * Owns: the prototypes of eh_frame.c.
 */
#ifndef KP_USER_EH_FRAME_H
#define KP_USER_EH_FRAME_H

#include "env.h"

struct kp_object;

/* Function bounds from .eh_frame, for stripped code. */
bool kp_user_unwind_bounds(const struct kp_object *object, uintptr_t addr,
			   uintptr_t *start, size_t *len);
bool kp_user_unwind_is_called(const struct kp_object *object, uintptr_t addr);

#endif
