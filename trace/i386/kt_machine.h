/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kt_machine.h - what a trace module does with registers on i386.
 *
 * Owns: where arguments are as a function begins, and how it returns at once.  Trap path.
 */
#ifndef KT_MACHINE_H
#define KT_MACHINE_H

#include "kt_either.h"

/* Where it stands: all of them are on the stack. */
static inline u64 kt_machine_stack_arg(const struct pt_regs *regs, u32 number)
{
	return regs->sp + 4ull * (number + 1);
}

static inline u64 kt_machine_arg(const struct pt_regs *regs, u32 number)
{
	return kt_stack_word(kt_machine_stack_arg(regs, number));
}

static inline u64 kt_machine_plain_arg(const struct pt_regs *regs, u32 number)
{
	return kt_machine_arg(regs, number);
}

static inline u64 kt_machine_late_arg(const struct pt_regs *regs, u32 number)
{
	(void)regs;
	(void)number;
	return 0;
}

static inline u64 kt_machine_lean_arg(const struct pt_regs *regs, u32 number)
{
	return kt_machine_arg(regs, number);
}

/* What a function's first argument is taken to be: the handler is told it in ax. */
static inline void kt_machine_set_first(struct pt_regs *regs, u64 value)
{
	*(unsigned long *)(regs->sp + 4) = (unsigned long)value;
}

/* A handler's IP is behind the breakpoint. */
static inline u64 kt_machine_hit_addr(const struct pt_regs *regs)
{
	return regs->ip - 1;
}

#endif
