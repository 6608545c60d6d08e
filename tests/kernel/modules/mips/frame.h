/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * frame.h - what an interrupt in the kernel leaves on the stack, on MIPS.
 *
 * Owns: what kp_rests.c writes there to look like it.
 */
#ifndef KP_TEST_FRAME_H
#define KP_TEST_FRAME_H

#include <asm/ptrace.h>
#include <asm/mipsregs.h>

static inline void frame_fill(struct pt_regs *regs, unsigned long pc, unsigned long sp)
{
	regs->cp0_epc = pc;
	regs->cp0_status = ST0_CU0 | ST0_EXL;
	regs->regs[29] = sp;
}

#endif
