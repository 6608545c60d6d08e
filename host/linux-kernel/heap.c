// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * heap.c - memory for the engine's data.
 *
 * Owns: whose it is: the kernel's.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include "local.h"

void *kp_host_alloc(size_t len)
{
	return kvzalloc(len, GFP_KERNEL);
}

void kp_host_free(void *mem)
{
	kvfree(mem);
}
