/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * runtime_marks.h - by what code of a runtime is known.
 *
 * Owns: the prototypes of runtime_marks.c.
 */
#ifndef KP_USER_RUNTIME_MARKS_H
#define KP_USER_RUNTIME_MARKS_H

#include "env.h"

struct kp_object;

/* An object, and a section of its file, are there. */
void kp_user_runtime_loaded(const struct kp_object *object);
void kp_user_runtime_section(struct kp_object *object, const char *name);

#endif
