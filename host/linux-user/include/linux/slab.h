/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * linux/slab.h - memory, for probe modules in a process.
 *
 * Owns: kmalloc and friends on the engine's heap: what is given back, the program
 *       does not keep.  Not in a handler, which may have interrupted that heap.
 */
#ifndef KP_SHIM_LINUX_SLAB_H
#define KP_SHIM_LINUX_SLAB_H

#include <linux/types.h>
#include <stdlib.h>

typedef unsigned int gfp_t;
#define GFP_KERNEL	0u
#define GFP_ATOMIC	1u
#define __GFP_ZERO	2u

/* Zeroed, whatever is asked for; and back. */
void *kp_alloc(size_t size);
void kp_free(const void *mem);

static inline void *kmalloc(size_t size, gfp_t flags)
{
	(void)flags;
	return kp_alloc(size);
}

static inline void *kzalloc(size_t size, gfp_t flags)
{
	return kmalloc(size, flags | __GFP_ZERO);
}

static inline void *kcalloc(size_t nr, size_t size, gfp_t flags)
{
	size_t len;

	return __builtin_mul_overflow(nr, size, &len) ? NULL
						      : kzalloc(len, flags);
}

static inline void kfree(const void *mem)
{
	kp_free(mem);
}

#endif
