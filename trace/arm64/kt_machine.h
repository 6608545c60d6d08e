/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kt_machine.h - what a trace module does with registers on arm64.
 *
 * Owns: where arguments are in struct pt_regs, and how a function returns at once.
 * Trap path.
 */
#ifndef KT_MACHINE_H
#define KT_MACHINE_H

#define KT_MACHINE_REGS 34u		/* of struct pt_regs, in words */
#define KT_MACHINE_KERNEL PAGE_OFFSET	/* where a kernel's memory begins */
#define KT_MACHINE_ARGS 8u		/* in registers */
#define KT_MACHINE_FIRST(regs) ((regs)->regs)
#define KT_MACHINE_ON_STACK(regs) ((regs)->sp)
#include "../shared/risc/kt_machine_words.h"

/* A handler's IP is at the breakpoint. */
static inline u64 kt_machine_hit_addr(const struct pt_regs *regs)
{
	return regs->pc;
}

/* A function has just begun: as if it had returned that at once. */
static inline void kt_machine_return(struct pt_regs *regs, u64 value)
{
	regs->regs[0] = value;
	regs->pc = regs->regs[30];
}

#endif
