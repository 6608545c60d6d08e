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
#define VDSO_NAME "__vdso_clock_gettime"

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
