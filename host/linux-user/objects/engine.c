/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * engine.c - the engine itself, in the program.
 *
 * Owns: where its code is, which nobody probes; and why it did not start.
 *
 * Locks: the registry lock, for what is an object.
 */
#include "objects/engine.h"
#include "face.h"
#include "text/exec.h"
#include "objects/objects.h"

/* Our own text, when it is a shared object of its own. */
bool kp_user_is_engine(const struct kp_object *object)
{
	uintptr_t self = (uintptr_t)&kp_user_is_engine;

	return object && !object->main && self >= object->start && self < object->end;
}

bool kp_user_in_engine(const struct kp_object *object, uintptr_t addr)
{
	uintptr_t start, end;

	if (kp_user_exec_owns(addr))
		return true;
	kp_face_text(&start, &end);
	if (addr >= start && addr < end)
		return true;
	return kp_user_is_engine(object);
}

/* Of its code at least; of all of it, where it is an object. */
void kp_user_engine_bounds(uintptr_t *start, uintptr_t *len)
{
	struct kp_object *object =
		kp_user_object_at((uintptr_t)&kp_user_engine_bounds);

	if (kp_user_is_engine(object)) {
		*start = object->start;
		*len = object->end - object->start;
	} else {
		kp_face_text(start, len);
		*len -= *start;
	}
}

static const char *failure;	/* written once, before the start is over */

void kp_user_start_failed(const char *why)
{
	failure = why;
}

const char *kp_user_not_started(void)
{
	return failure;
}
