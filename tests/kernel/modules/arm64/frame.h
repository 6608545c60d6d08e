/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * frame.h - what an interrupt in the kernel leaves on the stack, on arm64.
 *
 * Owns: what kp_rests.c writes there to look like it.
 */
#ifndef KP_TEST_FRAME_H
#define KP_TEST_FRAME_H

#include <asm/ptrace.h>

static inline void frame_fill(struct pt_regs *regs, unsigned long pc, unsigned long sp)
{
	regs->pc = pc;
	regs->pstate = PSR_MODE_EL1h;
	regs->sp = sp;
}

/* From the record of the function that was called next. */
static inline void frame_link(struct pt_regs *regs, unsigned long *record)
{
	unsigned long *own = (unsigned long *)&regs->stackframe;

	own[0] = record[0];
	own[1] = regs->pc;
	record[0] = (unsigned long)own;
}

static inline void frame_unlink(struct pt_regs *regs, unsigned long *record)
{
	record[0] = *(unsigned long *)&regs->stackframe;
}
#define frame_link frame_link

#endif
