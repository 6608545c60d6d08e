// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * process.c - what a trace program asks of the process, where it is more than a
 * line.
 *
 * Owns: strings that end somewhere, the user's numbers.
 * All of it serves handlers: no C library, nothing that faults.
 */
#include "kt_host.h"

#include <sys/syscall.h>

#define PAGE 4096u
#define CHUNK 32u			/* looked at in one go */

u32 kt_process_inner, kt_process_outer;
long kt_process_rseq;

/* Not each C library has them, nor each program a C library. */
#pragma weak __rseq_offset
#pragma weak __rseq_size

void kt_process_start(void)
{
	kt_process_rseq = &__rseq_size && &__rseq_offset && __rseq_size ? __rseq_offset : 0;
}

/* Both may change at any time, so they are asked for at every use. */
u32 kt_process_uid(void)
{
	return (u32)kt_syscall(SYS_getuid, 0, 0, 0, 0);
}

u32 kt_process_gid(void)
{
	return (u32)kt_syscall(SYS_getgid, 0, 0, 0, 0);
}

/* Pieces within a page: what lies behind it may not be there. */
int kt_process_string(char *dst, u64 addr, u32 len)
{
	u32 at = 0, nr, i;

	while (at + 1 < len) {
		nr = PAGE - (u32)((addr + at) % PAGE);
		if (nr > CHUNK)
			nr = CHUNK;
		if (nr > len - 1 - at)
			nr = len - 1 - at;
		if (kt_host_read(dst + at, addr + at, nr, true)) {
			if (!at)
				return -1;
			break;
		}
		for (i = 0; i < nr; i++)
			if (!dst[at + i])
				return (int)(at + i);
		at += nr;
	}
	dst[at] = 0;
	return (int)at;
}
