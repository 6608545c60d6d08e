/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kt_machine.h - what a trace module does with registers on i386, in a kernel.
 *
 * Owns: where arguments are as a function begins, and how it returns at once.  A kernel is
 * compiled with -mregparm=3: unlike in a process (trace/i386), the first three are in
 * registers.  Trap path.
 */
#ifndef KT_MACHINE_H
#define KT_MACHINE_H

#include "kt_either.h"

#define KT_MACHINE_REGS 17u		/* of struct pt_regs, in words */
#define KT_MACHINE_KERNEL PAGE_OFFSET	/* where a kernel's memory begins */
#define KT_MACHINE_ARGS 3u		/* in registers */

/* number is a constant. */
static inline u64 kt_machine_plain_arg(const struct pt_regs *regs, u32 number)
{
	switch (number) {
	case 0:
		return regs->ax;
	case 1:
		return regs->dx;
	case 2:
		return regs->cx;
	default:
		return kt_stack_word(regs->sp + 4ull * (number - KT_MACHINE_ARGS + 1));
	}
}

static inline u64 kt_machine_arg(const struct pt_regs *regs, u32 number)
{
	return kt_machine_plain_arg(regs, number);
}

static inline u64 kt_machine_lean_arg(const struct pt_regs *regs, u32 number)
{
	return kt_machine_plain_arg(regs, number);
}

/* Where it is on the stack, above the return address; or 0: in a register. */
static inline u64 kt_machine_stack_arg(const struct pt_regs *regs, u32 number)
{
	return number < KT_MACHINE_ARGS ? 0
					: regs->sp + 4ull * (number - KT_MACHINE_ARGS + 1);
}

static inline u64 kt_machine_late_arg(const struct pt_regs *regs, u32 number)
{
	return kt_machine_plain_arg(regs, number);
}

/* What a function's first argument is taken to be. */
static inline void kt_machine_set_first(struct pt_regs *regs, u64 value)
{
	regs->ax = (unsigned long)value;
}

#endif
