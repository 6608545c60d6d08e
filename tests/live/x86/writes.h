/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * writes.h - what tests of watched memory have to know of x86, in both modes.
 *
 * Owns: means, and how much one instruction writes.  processor.h includes it, having said
 * what of the compiler's the widest of them uses (STORE_USES).
 */
#ifndef KP_LIVE_WRITES_H
#define KP_LIVE_WRITES_H

#define WATCH_REGISTERS 1		/* debug registers tell of accesses */
#define ATOMICS_ANYWHERE 1		/* and not on their boundary alone */
#define FILL_STORES 2			/* of 20 bytes on each of two pages; the last one */
#define FILL_LAST 20
#define FORK_CALL SYS_fork
#define RETURN_CODE { 0x90, 0x90, 0x90, 0x90, 0x90, 0xc3 }

/* So many bytes by one instruction. */
#define ONES 16
static inline void store_ones(void *at)
{
	__asm__ volatile("pcmpeqd %%xmm0, %%xmm0; movups %%xmm0, (%0)"
			 :: "r"(at) : STORE_USES "memory");
}

static inline void fill_by_string(void *at, unsigned long len, char byte)
{
	__asm__ volatile("rep stosb" : "+D"(at), "+c"(len) : "a"(byte) : "memory");
}

#endif
