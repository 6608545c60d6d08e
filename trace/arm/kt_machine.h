/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kt_machine.h - what a trace module does with registers on arm.
 *
 * Owns: where arguments are in struct pt_regs, and how a function returns at once.
 * Trap path.
 */
#ifndef KT_MACHINE_H
#define KT_MACHINE_H

#define KT_MACHINE_REGS 17u		/* of struct pt_regs, in words */
#define KT_MACHINE_KERNEL MODULES_VADDR	/* where a kernel's memory begins */
#define KT_MACHINE_ARGS 4u		/* in registers */
#define KT_MACHINE_FIRST(regs) ((regs)->uregs)
#define KT_MACHINE_ON_STACK(regs) ((regs)->ARM_sp)
#include "../shared/risc/kt_machine_words.h"

/* A handler's IP is at the breakpoint. */
static inline u64 kt_machine_hit_addr(const struct pt_regs *regs)
{
	return regs->ARM_pc;
}

/* A function has just begun: as if it had returned that at once, to code of either set. */
static inline void kt_machine_return(struct pt_regs *regs, u64 value)
{
	regs->ARM_r0 = (unsigned long)value;
	regs->ARM_pc = regs->ARM_lr;
}

#endif
