/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kprobes/pt_regs.h - arm64 registers for hosts that are not the kernel.
 *
 * Owns: struct pt_regs with the kernel's field names and order, so that one
 * handler source serves every host.  arch/arm64/regs.h asserts the layout.
 */
#ifndef KPROBES_PT_REGS_H
#define KPROBES_PT_REGS_H

struct pt_regs {
	unsigned long regs[31];
	unsigned long sp, pc, pstate;
};

typedef unsigned int kprobe_opcode_t;

#define MAX_STACK_SIZE 128

static inline unsigned long regs_return_value(struct pt_regs *regs)
{
	return regs->regs[0];
}

static inline unsigned long instruction_pointer(struct pt_regs *regs)
{
	return regs->pc;
}

static inline void instruction_pointer_set(struct pt_regs *regs,
					   unsigned long pc)
{
	regs->pc = pc;
}

static inline unsigned long kernel_stack_pointer(struct pt_regs *regs)
{
	return regs->sp;
}

static inline unsigned long user_stack_pointer(struct pt_regs *regs)
{
	return regs->sp;
}

/* Integer argument n (0 to 7) at a function's entry; 0 beyond. */
static inline unsigned long regs_get_kernel_argument(struct pt_regs *regs,
						     unsigned int n)
{
	return n < 8 ? regs->regs[n] : 0;
}

#endif
