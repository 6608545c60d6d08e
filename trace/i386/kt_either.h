/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kt_either.h - what a trace module does with i386's registers in a process and a kernel alike.
 *
 * Owns: what kt_machine.h of either has of it.  Trap path.
 */
#ifndef KT_EITHER_H
#define KT_EITHER_H

/* What a watched access puts into KT_WATCH_REGS, in their order. */
static inline void kt_machine_note(struct pt_regs *regs, const u64 words[6])
{
	regs->bx = (unsigned long)words[0];
	regs->cx = (unsigned long)words[1];
	regs->dx = (unsigned long)words[2];
	regs->si = (unsigned long)words[3];
	regs->di = (unsigned long)words[4];
	regs->bp = (unsigned long)words[5];
}

/* A function has just begun: as if it had returned that at once. */
static inline void kt_machine_return(struct pt_regs *regs, u64 value)
{
	regs->ax = (unsigned long)value;
	regs->ip = *(unsigned long *)regs->sp;
	regs->sp += sizeof(long);
}

#endif
