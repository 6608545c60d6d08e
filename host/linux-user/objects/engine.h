/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * engine.h - the engine itself, in the program.
 *
 * Owns: the prototypes of engine.c.
 */
#ifndef KP_USER_ENGINE_H
#define KP_USER_ENGINE_H

#include "env.h"

struct kp_object;

/* The engine's own code, object may be NULL; and is it all of the object? */
bool kp_user_in_engine(const struct kp_object *object, uintptr_t addr);
void kp_user_engine_bounds(uintptr_t *start, uintptr_t *len);
bool kp_user_is_engine(const struct kp_object *object);
/* Why it did not start; NULL when it did. */
const char *kp_user_not_started(void);
void kp_user_start_failed(const char *why);

#endif
