/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * linux/slab.h - memory, for probe modules in a process.
 *
 * Owns: kmalloc and friends on malloc: not in a handler, which may have interrupted
 *       malloc.
 */
#ifndef KP_SHIM_LINUX_SLAB_H
#define KP_SHIM_LINUX_SLAB_H

#include <linux/types.h>
#include <stdlib.h>

typedef unsigned int gfp_t;
#define GFP_KERNEL	0u
#define GFP_ATOMIC	1u
#define __GFP_ZERO	2u

static inline void *kmalloc(size_t size, gfp_t flags)
{
	return flags & __GFP_ZERO ? calloc(1, size) : malloc(size);
}

static inline void *kzalloc(size_t size, gfp_t flags)
{
	(void)flags;
	return calloc(1, size);
}

static inline void *kcalloc(size_t nr, size_t size, gfp_t flags)
{
	(void)flags;
	return calloc(nr, size);
}

static inline void kfree(const void *mem)
{
	free((void *)(uintptr_t)mem);
}

#endif
