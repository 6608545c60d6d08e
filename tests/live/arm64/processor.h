/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * processor.h - what tests in a process have to know of arm64.
 *
 * Owns: other values in vector registers, and in those that handlers are given; what a
 * jump begins with; and where a return address is.
 */
#ifndef KP_LIVE_PROCESSOR_H
#define KP_LIVE_PROCESSOR_H

#include <linux/kprobes.h>

#define LIVE_JUMPS 1			/* may take a breakpoint's place */
#define VDSO_OBJECT "linux-vdso.so.1"
#define VDSO_NAME "__kernel_clock_gettime"

/*
 * A return address stands wherever a function has saved it: who follows frame pointers
 * does not know which call it is of; and calls that never return are over when their
 * thread is.
 */
#define RETURNS_STAND 0

static inline void spoil_vectors(void)
{
	__asm__ volatile("movi v0.2d, #0; movi v1.2d, #0; movi v7.2d, #0; movi v31.2d, #0"
			 ::: "v0", "v1", "v7", "v31");
}

static inline void spoil_regs(struct pt_regs *regs)
{
	int i;

	regs->regs[0] = 999;
	for (i = 1; i < 30; i++)
		regs->regs[i] = 0x1234;
	regs->pstate ^= 1ul << 29;
}

static inline bool is_jump(const void *text)
{
	return ((const unsigned char *)text)[3] >> 2 == 5;
}

/* ---- writes to memory -------------------------------------------------------------- */

#define SOCKETS_BY_POINTER 0		/* nor any call, but by registers */
#define WATCH_REGISTERS 0		/* debug registers tell of accesses */
#define ATOMICS_ANYWHERE 0		/* and not on their boundary alone */
#define FILL_STORES 4			/* of 20 bytes on each of two pages; the last one */
#define FILL_LAST 4
#define FORK_CALL SYS_clone
#define RETURN_CODE { 0x1f, 0x20, 0x03, 0xd5, 0xc0, 0x03, 0x5f, 0xd6 }

/* So many bytes by one instruction. */
#define ONES 16
static inline void store_ones(void *at)
{
	__asm__ volatile("movi v0.16b, #255; str q0, [%0]" :: "r"(at) : "v0", "memory");
}

/* There are no strings: two instructions that lie on both pages, and one behind. */
static inline void fill_by_string(void *at, unsigned long len, char byte)
{
	char *half = (char *)at + len / 2, bytes[32];

	memset(bytes, byte, sizeof(bytes));
	__asm__ volatile("ldp q0, q1, [%2]; stur q0, [%0]; stur s1, [%0, #16]; stur q0, [%1]; stur s1, [%1, #16]"
			 :: "r"(at), "r"(half), "r"(bytes) : "v0", "v1", "memory");
}

#endif
