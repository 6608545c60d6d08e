/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * heap.c - memory for the slow paths.
 *
 * Owns: nothing; the C library's heap serves.  Never on the trap path, which
 * may have interrupted it.
 */
#include "user.h"

#include <stdlib.h>

void *kp_host_alloc(size_t len)
{
	return calloc(1, len ? len : 1);
}

void kp_host_free(void *mem)
{
	free(mem);
}
