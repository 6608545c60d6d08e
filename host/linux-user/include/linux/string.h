/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * linux/string.h - string functions, for probe modules in a process.
 *
 * Owns: the few that the C library lacks.  A handler that calls the C library may be
 *       interrupting it: memory and string functions are safe, others are not.
 */
#ifndef KP_SHIM_LINUX_STRING_H
#define KP_SHIM_LINUX_STRING_H

#include <linux/types.h>
#include <string.h>
#include <strings.h>

static inline ssize_t strscpy(char *dst, const char *src, size_t size)
{
	size_t len = strnlen(src, size);

	if (!size)
		return -7;		/* -E2BIG */
	if (len == size) {
		memcpy(dst, src, size - 1);
		dst[size - 1] = 0;
		return -7;
	}
	memcpy(dst, src, len + 1);
	return (ssize_t)len;
}

#endif
