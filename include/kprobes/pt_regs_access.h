/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * pt_regs_access.h - the kernel's functions on struct pt_regs, for hosts that are not the
 * kernel.
 *
 * Owns: them.  pt_regs.h of the processor includes it, having said which members of the
 * struct are the instruction pointer (KP_PT_IP), the stack pointer (KP_PT_SP) and what a
 * function returns (KP_PT_RESULT), and what it finds as its nth integer argument, or 0 if
 * that is in no register (KP_PT_ARGUMENT).
 */
#ifndef KPROBES_PT_REGS_ACCESS_H
#define KPROBES_PT_REGS_ACCESS_H

#include <kprobes/pt_regs.h>

static inline unsigned long regs_return_value(struct pt_regs *regs)
{
	return regs->KP_PT_RESULT;
}

static inline unsigned long instruction_pointer(struct pt_regs *regs)
{
	return regs->KP_PT_IP;
}

static inline void instruction_pointer_set(struct pt_regs *regs,
					   unsigned long ip)
{
	regs->KP_PT_IP = ip;
}

static inline unsigned long kernel_stack_pointer(struct pt_regs *regs)
{
	return regs->KP_PT_SP;
}

static inline unsigned long user_stack_pointer(struct pt_regs *regs)
{
	return regs->KP_PT_SP;
}

/* Integer argument n, from 0, at a function's entry. */
static inline unsigned long regs_get_kernel_argument(struct pt_regs *regs,
						     unsigned int n)
{
	return KP_PT_ARGUMENT(regs, n);
}

#undef KP_PT_IP
#undef KP_PT_SP
#undef KP_PT_RESULT
#undef KP_PT_ARGUMENT

#endif
