/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * runtime.h - runtimes, and their marks.
 *
 * Owns: struct kp_runtime: by what an object of a runtime's is known, and what must not be done
 * to its code.
 */
#ifndef KP_USER_RUNTIME_H
#define KP_USER_RUNTIME_H

#include "env.h"

struct kp_runtime {
	const char *sections[5];
	const char *symbols[8];
	const char *files[3];		/* how the object's name begins */
	bool small_stacks;
	const char *returns;		/* why no return probe; NULL: it may */
	const char *jprobes;
};

/* runtime_marks.c: kp_object.runtime is one more than the place here. */
#define KP_RUNTIMES 10
extern const struct kp_runtime kp_user_runtimes[KP_RUNTIMES];

struct kp_object;

/* What must not be done to an object's code; NULL, false: nothing. */
bool kp_user_runtime_small_stacks(struct kp_object *object);
const char *kp_user_runtime_returns(struct kp_object *object);
const char *kp_user_runtime_jprobes(struct kp_object *object);

#endif
