/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * outs.h - what a system call writes to the program's memory.
 *
 * Owns: the prototypes of outs.c.
 */
#ifndef KP_USER_OUTS_H
#define KP_USER_OUTS_H

#include "env.h"

/* The memory that a system call writes. */
struct kp_out {
	uintptr_t addr;
	size_t len;
	int arg;			/* which argument says where; -1: none */
	bool counts;			/* the call's result says how much */
};
#define KP_OUTS_MAX 4
enum kp_outs {
	KP_OUTS_KNOWN,			/* these, and no others */
	KP_OUTS_ANY,			/* nobody knows */
	KP_OUTS_MEMORY,			/* it changes the map there, or what the kernel writes later */
	KP_OUTS_FORK,			/* it copies this memory */
	KP_OUTS_RING,			/* after it, the kernel writes when it likes, or calls are filtered */
};
enum kp_outs kp_user_outs(long nr, const unsigned long args[6],
			  struct kp_out outs[KP_OUTS_MAX], int *outs_nr);

#endif
