/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * calls.h - what the module asks of the kernel, and does with text.
 *
 * Owns: the few calls that it makes outside of handlers.  No C library: the process may have
 * none.
 */
#ifndef KT_CALLS_H
#define KT_CALLS_H

#include "kt_host.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline int call_getpid(void)
{
	return (int)kt_syscall(SYS_getpid, 0, 0, 0, 0);
}

static inline void call_close(int fd)
{
	kt_syscall(SYS_close, fd, 0, 0, 0);
}

static inline void call_unmap(void *at, u64 len)
{
	kt_syscall(SYS_munmap, (long)at, (long)len, 0, 0);
}

/* The length of a file of memory; or negative. */
static inline long call_length(int fd)
{
	return kt_syscall(SYS_lseek, fd, 0, SEEK_END, 0);
}

/* As much as there is room for, and a 0. */
static inline void put_text(char *to, size_t room, const char *text)
{
	while (--room && *text)
		*to++ = *text++;
	*to = 0;
}

/* The decimal number behind what is there; there is room. */
static inline void add_number(char *text, u32 number)
{
	char digits[12], *at = digits + sizeof(digits);

	*--at = 0;
	do
		*--at = (char)('0' + number % 10);
	while (number /= 10);
	put_text(text + strlen(text), (size_t)(digits + sizeof(digits) - at), at);
}

#endif
