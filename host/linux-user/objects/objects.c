/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * objects.c - the list of the program and its shared objects.
 *
 * Owns: the list, in load order, the program first.  dso.c says what is on it.
 *
 * Locks: the registry lock.
 */
#include "objects/objects.h"
#include "sys.h"

static struct kp_object *objects;

struct kp_object *kp_user_object_first(void)
{
	return objects;
}

struct kp_object *kp_user_object_at(uintptr_t addr)
{
	struct kp_object *object;

	for (object = objects; object; object = object->next)
		if (addr - object->start < object->end - object->start &&
		    kp_user_segment_at(object, addr))
			return object;
	return NULL;
}

const struct kp_segment *kp_user_segment_at(const struct kp_object *object,
					    uintptr_t addr)
{
	int i;

	for (i = 0; i < object->segments_nr; i++)
		if (addr >= object->segments[i].start &&
		    addr < object->segments[i].end)
			return &object->segments[i];
	return NULL;
}

void kp_user_object_add(struct kp_object *object)
{
	struct kp_object **tail = &objects;

	while (*tail && (object->other || !(*tail)->other))
		tail = &(*tail)->next;
	object->next = *tail;
	*tail = object;
}

struct kp_object *kp_user_object_take_unseen(void)
{
	struct kp_object **link = &objects, *object;

	while ((object = *link) && object->seen)
		link = &object->next;
	if (object)
		*link = object->next;
	else
		for (object = objects; object; object = object->next)
			object->seen = false;
	return object;
}

/* The first is empty once the first thread has ended; an emulator knows no other. */
const char *kp_user_exe(void)
{
	static const char exe[] = "/proc/self/exe";
	char c;

	return sys4(SYS_readlinkat, AT_FDCWD, exe, &c, 1) > 0 ? exe
		: "/proc/thread-self/exe";
}
