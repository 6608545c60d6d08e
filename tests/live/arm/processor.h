/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * processor.h - what tests in a process have to know of arm.
 *
 * Owns: other values in vector registers, and in those that handlers are given; what a
 * jump begins with; and where a return address is.
 */
#ifndef KP_LIVE_PROCESSOR_H
#define KP_LIVE_PROCESSOR_H

#include <linux/kprobes.h>

#define LIVE_JUMPS 1			/* may take a breakpoint's place */
#define VDSO_OBJECT "linux-vdso.so.1"
#define VDSO_NAME "__vdso_clock_gettime"
#define SECOND_SET 1ul			/* a bit of a function's address that says it is of the second set */
#define STRIPPED_BOUNDS 0		/* code of libc's without a symbol has bounds, by its unwind tables */
#define VERSIONED "posix_spawn"		/* of libc's: there are two */

/*
 * A return address stands wherever a function has saved it: who follows frame pointers
 * does not know which call it is of; and calls that never return are over when their
 * thread is.
 */
#define RETURNS_STAND 0

static inline void spoil_vectors(void)
{
	__asm__ volatile("vmov.i32 d0, #0; vmov.i32 d1, #0; vmov.i32 d7, #0; vmov.i32 d15, #0; vmov.i32 d31, #0"
			 ::: "d0", "d1", "d7", "d15", "d31");
}

/* long keeps(void *at, long value): in two of those registers around a write there, added. */
#define KEEPS \
	"vmov.32 d7[0], r1; vmov.32 d31[0], r1\n" \
	"str r1, [r0]\n" \
	"vmov.32 r0, d7[0]; vmov.32 r1, d31[0]; add r0, r0, r1; bx lr"

/* ---- writes to memory -------------------------------------------------------------- */

#define SOCKETS_BY_POINTER 0		/* nor any call, but by registers */
#define WATCH_REGISTERS 0		/* debug registers tell of accesses */
#define ATOMICS_ANYWHERE 0		/* and not on their boundary alone */
#define FILL_STORES 10			/* of 20 bytes on each of two pages; the last one */
#define FILL_LAST 4
#define FORK_CALL SYS_clone
#define RETURN_CODE { 0x00, 0xf0, 0x20, 0xe3, 0x1e, 0xff, 0x2f, 0xe1 }

/* Bytes of ones, in one instruction. */
#define ONES 8
static inline void store_ones(void *at)
{
	const unsigned long long ones = ~0ull;

	__asm__ volatile("vld1.8 {d16}, [%1]; vst1.8 {d16}, [%0]" : : "r"(at), "r"(&ones) : "d16", "memory");
}

/* Words, and what is left of them. */
static inline void fill_by_string(void *at, unsigned long len, char byte)
{
	unsigned long word = (unsigned char)byte * 0x01010101ul;
	char *end = (char *)at + len;
	char *to = at;

	for (; to + 4 <= end; to += 4)
		__asm__ volatile("str %1, [%0]" : : "r"(to), "r"(word) : "memory");
	for (; to < end; to++)
		__asm__ volatile("strb %1, [%0]" : : "r"(to), "r"(word) : "memory");
}

/* All that belongs to the probed code, but for the stack's and where it returns to. */
static inline void spoil_regs(struct pt_regs *regs)
{
	int i;

	regs->ARM_r0 = 999;
	for (i = 1; i < 13; i++)
		regs->uregs[i] = 0x1234;
	regs->ARM_cpsr ^= 1ul << 29;
}

/* b, of A32. */
static inline bool is_jump(const void *text)
{
	return ((const unsigned char *)text)[3] == 0xea;
}

#endif
