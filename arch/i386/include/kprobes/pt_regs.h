/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kprobes/pt_regs.h - i386 registers for hosts that are not the kernel.
 *
 * Owns: struct pt_regs with the kernel's field names and order, so that one
 * handler source serves every host.  arch/i386/regs.h asserts the layout.
 */
#ifndef KPROBES_PT_REGS_H
#define KPROBES_PT_REGS_H

struct pt_regs {
	unsigned long bx, cx, dx, si, di, bp, ax;
	unsigned short ds, __dsh, es, __esh, fs, __fsh, gs, __gsh;
	unsigned long orig_ax, ip;
	unsigned short cs, __csh;
	unsigned long flags, sp;
	unsigned short ss, __ssh;
};

typedef unsigned char kprobe_opcode_t;

#define MAX_STACK_SIZE 64

static inline unsigned long regs_return_value(struct pt_regs *regs)
{
	return regs->ax;
}

static inline unsigned long instruction_pointer(struct pt_regs *regs)
{
	return regs->ip;
}

static inline void instruction_pointer_set(struct pt_regs *regs,
					   unsigned long ip)
{
	regs->ip = ip;
}

static inline unsigned long kernel_stack_pointer(struct pt_regs *regs)
{
	return regs->sp;
}

static inline unsigned long user_stack_pointer(struct pt_regs *regs)
{
	return regs->sp;
}

/* Integer argument n at a function's entry: in a process all are on the stack. */
static inline unsigned long regs_get_kernel_argument(struct pt_regs *regs,
						     unsigned int n)
{
	return ((const unsigned long *)regs->sp)[1 + n];
}

#endif
