/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * maps.h - the process's memory map, as the kernel tells it.
 *
 * Owns: the prototypes of maps.c.
 */
#ifndef KP_USER_MAPS_H
#define KP_USER_MAPS_H

#include "env.h"

/* Lines of /proc/self/maps.  fn returns true to stop. */
struct kp_map {
	uintptr_t start, end;
	bool read, write, exec, shared;
	const char *name;		/* "" when anonymous; valid in fn only */
};
typedef bool (*kp_map_fn)(const struct kp_map *map, void *arg);
int kp_user_maps(kp_map_fn fn, void *arg);

#endif
