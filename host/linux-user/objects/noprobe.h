/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * noprobe.h - code that an object excludes from probing.
 *
 * Owns: the prototypes of noprobe.c.
 */
#ifndef KP_USER_NOPROBE_H
#define KP_USER_NOPROBE_H

#include "env.h"

struct kp_object;

/* Each section that is loaded, as the object's file has it. */
struct kp_section {
	const char *name;
	uintptr_t start, len;
	bool exec;
};
typedef void (*kp_section_fn)(struct kp_object *object, const struct kp_section *section);
void kp_user_sections_each(struct kp_object *object, kp_section_fn each);
/* Blacklist what an object marks; no lock held. */
void kp_user_sections_read(struct kp_object *object);
/* A module's handlers are there.  Registry lock; 0 or -EINVAL. */
int kp_user_handlers_declare(uintptr_t begin, uintptr_t end);

#endif
