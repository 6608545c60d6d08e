/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kprobes/pt_regs.h - registers of the processor that does not exist.
 *
 * Owns: struct pt_regs; arch/toy/insn.h says what they are for.
 */
#ifndef KPROBES_PT_REGS_H
#define KPROBES_PT_REGS_H

struct pt_regs {
	unsigned long r[8];
	unsigned long sp, pc, flags;
};

typedef unsigned char kprobe_opcode_t;

#define MAX_STACK_SIZE 64

static inline unsigned long regs_return_value(struct pt_regs *regs)
{
	return regs->r[0];
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

/* Integer argument n (0 to 5) at a function's entry; 0 beyond. */
static inline unsigned long regs_get_kernel_argument(struct pt_regs *regs,
						     unsigned int n)
{
	return n < 6 ? regs->r[n] : 0;
}

#endif
