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

#endif
