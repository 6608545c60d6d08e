/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * frame.h - what an interrupt in the kernel leaves on the stack, on i386.
 *
 * Owns: what kp_rests.c writes there to look like it.
 */
#ifndef KP_TEST_FRAME_H
#define KP_TEST_FRAME_H

#include <asm/ptrace.h>
#include <asm/segment.h>

static inline void frame_fill(struct pt_regs *regs, unsigned long pc, unsigned long sp)
{
	regs->ip = pc;
	regs->cs = __KERNEL_CS;
	regs->sp = sp;
	regs->ss = __KERNEL_DS;
}

#endif
