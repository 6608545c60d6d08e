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

#endif
