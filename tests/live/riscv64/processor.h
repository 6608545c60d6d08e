/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * processor.h - what tests in a process have to know of riscv64.
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

/*
 * A return address stands wherever a function has saved it: who follows frame pointers
 * does not know which call it is of; and calls that never return are over when their
 * thread is.
 */
#define RETURNS_STAND 0

static inline void spoil_vectors(void)
{
	__asm__ volatile("fmv.d.x fa0, zero; fmv.d.x fa1, zero; fmv.d.x fa7, zero; fmv.d.x ft11, zero"
			 ::: "fa0", "fa1", "fa7", "ft11");
}

/* All that belongs to the probed code, but for the stack's and the thread's. */
static inline void spoil_regs(struct pt_regs *regs)
{
	unsigned long *reg;

	for (reg = &regs->t0; reg <= &regs->t6; reg++)
		*reg = 0x1234;
	regs->a0 = 999;
}

/* jal x0 */
static inline bool is_jump(const void *text)
{
	return (*(const unsigned short *)text & 0xfff) == 0x6f;
}

/* long keeps(void *at, long value): in two of those registers around a write there, added. */
#define KEEPS \
	"fmv.d.x fa7, a1; fmv.d.x ft11, a1\n" \
	"sd a1, 0(a0)\n" \
	"fmv.x.d a0, fa7; fmv.x.d a1, ft11; add a0, a0, a1; ret"

/* ---- writes to memory -------------------------------------------------------------- */

#define SOCKETS_BY_POINTER 0		/* nor any call, but by registers */
#define WATCH_REGISTERS 0		/* debug registers tell of accesses */
#define ATOMICS_ANYWHERE 0		/* and not on their boundary alone */
#define FILL_STORES 6			/* of 20 bytes on each of two pages; the last one */
#define FILL_LAST 4
#define FORK_CALL SYS_clone
#define RETURN_CODE { 0x13, 0x00, 0x00, 0x00, 0x67, 0x80, 0x00, 0x00 }

/* So many bytes by one instruction. */
#define ONES 8
static inline void store_ones(void *at)
{
	__asm__ volatile("sd %1, 0(%0)" :: "r"(at), "r"(-1l) : "memory");
}

/* There are no strings. */
static inline void fill_by_string(void *at, unsigned long len, char byte)
{
	unsigned long bytes;

	memset(&bytes, byte, sizeof(bytes));
	__asm__ volatile("sd %2, 0(%0); sd %2, 8(%0); sw %2, 16(%0); "
			 "sd %2, 0(%1); sd %2, 8(%1); sw %2, 16(%1)"
			 :: "r"(at), "r"((char *)at + len / 2), "r"(bytes) : "memory");
}

#endif
