/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * mem.c - memory and string functions of our own.
 *
 * Owns: the functions that the compiler calls by itself and those that the
 * core uses.  All are hidden, so that they bind here: the C library's may be
 * probed, or interrupted in the middle, when the trap path runs.
 *
 * Compiled so that no loop is turned into a call to itself (host.mk).
 */
#include "env.h"
#include "memory.h"

KP_TRAP_PATH void *memcpy(void *restrict dst, const void *restrict src,
			  size_t len)
{
	kp_mem_copy(dst, src, len);
	return dst;
}

KP_TRAP_PATH void *memmove(void *dst, const void *src, size_t len)
{
	unsigned char *d = dst;
	const unsigned char *s = src;

	if ((uintptr_t)d - (uintptr_t)s >= len)
		return memcpy(dst, src, len);
	while (len--)
		d[len] = s[len];
	return dst;
}

KP_TRAP_PATH void *memset(void *dst, int byte, size_t len)
{
	kp_mem_fill(dst, byte, len);
	return dst;
}

KP_TRAP_PATH int memcmp(const void *a, const void *b, size_t len)
{
	const unsigned char *x = a, *y = b;

	for (; len; len--, x++, y++)
		if (*x != *y)
			return *x - *y;
	return 0;
}

KP_TRAP_PATH size_t strlen(const char *s)
{
	const char *end = s;

	while (*end)
		end++;
	return (size_t)(end - s);
}

int strcmp(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return (unsigned char)*a - (unsigned char)*b;
}

int strncmp(const char *a, const char *b, size_t len)
{
	for (; len; len--, a++, b++) {
		if (*a != *b)
			return (unsigned char)*a - (unsigned char)*b;
		if (!*a)
			break;
	}
	return 0;
}

char *strchr(const char *s, int c)
{
	for (;; s++) {
		if (*s == (char)c)
			return (char *)(uintptr_t)s;
		if (!*s)
			return NULL;
	}
}

char *strrchr(const char *s, int c)
{
	const char *found = NULL;

	for (;; s++) {
		if (*s == (char)c)
			found = s;
		if (!*s)
			return (char *)(uintptr_t)found;
	}
}

void *memchr(const void *s, int byte, size_t len)
{
	const unsigned char *at = s;

	for (; len; len--, at++)
		if (*at == (unsigned char)byte)
			return (void *)(uintptr_t)at;
	return NULL;
}

/* How much of s is of the characters of set, or of others. */
static size_t span(const char *s, const char *set, bool of_set)
{
	size_t len = 0;

	while (s[len] && (strchr(set, s[len]) != NULL) == of_set)
		len++;
	return len;
}

size_t strspn(const char *s, const char *set)
{
	return span(s, set, true);
}

size_t strcspn(const char *s, const char *set)
{
	return span(s, set, false);
}

char *strstr(const char *s, const char *what)
{
	size_t len = strlen(what);

	for (; strncmp(s, what, len); s++)
		if (!*s)
			return NULL;
	return (char *)(uintptr_t)s;
}
