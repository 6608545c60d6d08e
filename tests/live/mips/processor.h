/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * processor.h - what tests in a process have to know of MIPS.
 *
 * Owns: other values in registers for floating point, and in those that handlers are given;
 * what a jump begins with; and where a return address is.
 */
#ifndef KP_LIVE_PROCESSOR_H
#define KP_LIVE_PROCESSOR_H

#include <linux/kprobes.h>

#define LIVE_JUMPS 0			/* may take a breakpoint's place */
#define VDSO_NAME "__vdso_clock_gettime"
#define VDSO_OBJECT "linux-vdso.so.1"

/*
 * A return address stands wherever a function has saved it: who follows frame pointers
 * does not know which call it is of; and calls that never return are over when their
 * thread is.
 */
#define RETURNS_STAND 0

static inline void spoil_vectors(void)
{
	__asm__ volatile("mtc1 $0, $f0; mtc1 $0, $f2; mtc1 $0, $f12; mtc1 $0, $f20; mtc1 $0, $f30"
			 ::: "$f0", "$f2", "$f12", "$f20", "$f30");
}

/* All that belongs to the probed code, but for the stack's and where it returns to. */
static inline void spoil_regs(struct pt_regs *regs)
{
	int i;

	regs->regs[2] = 999;
	for (i = 3; i < 31; i++)
		if (i != 29)
			regs->regs[i] = 0x1234;
	regs->hi = regs->lo = 0x1234;
}

/* j */
static inline bool is_jump(const void *text)
{
	return *(const unsigned int *)text >> 26 == 2;
}

/* ---- writes to memory -------------------------------------------------------------- */

#define STACK_REFUSED "executable"	/* C libraries want stacks so */
#define SOCKETS_BY_POINTER 0		/* nor any call, but by registers */
#define WATCH_REGISTERS 0		/* debug registers tell of accesses */
#define ATOMICS_ANYWHERE 0		/* and not on their boundary alone */
#define FILL_STORES 6			/* of 20 bytes on each of two pages; the last one */
#define FILL_LAST 4
#define FORK_CALL SYS_clone
/* nop; jr $31; nop */
#define RETURN_CODE { 0, 0, 0, 0, 0x08, 0, 0xe0, 0x03, 0, 0, 0, 0 }

/* So many bytes by one instruction; off its boundary the kernel makes it. */
#define ONES 8
static inline void store_ones(void *at)
{
	__asm__ volatile("sd %1, 0(%0)" :: "r"(at), "r"(-1l) : "memory");
}

/* There are no strings: two instructions of 8 bytes in each half, and one of 4. */
static inline void fill_by_string(void *at, unsigned long len, char byte)
{
	char *half = (char *)at + len / 2;
	unsigned long bytes;

	memset(&bytes, byte, sizeof(bytes));
	__asm__ volatile("sd %2, 0(%0); sd %2, 8(%0); sw %2, 16(%0); sd %2, 0(%1); sd %2, 8(%1); sw %2, 16(%1)"
			 :: "r"(at), "r"(half), "r"(bytes) : "memory");
}

#endif
