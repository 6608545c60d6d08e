/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kprobes/pt_regs.h - x86-64 registers for hosts that are not the kernel.
 *
 * Owns: struct pt_regs with the kernel's field names and order, so that one
 * handler source serves every host.  arch/x86/regs.h asserts the layout.
 */
#ifndef KPROBES_PT_REGS_H
#define KPROBES_PT_REGS_H

struct pt_regs {
	unsigned long r15, r14, r13, r12;
	unsigned long bp, bx;
	unsigned long r11, r10, r9, r8;
	unsigned long ax, cx, dx, si, di;
	unsigned long orig_ax;
	unsigned long ip, cs, flags, sp, ss;
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

/* Integer argument n (0 to 5) at a function's entry; 0 beyond. */
static inline unsigned long regs_get_kernel_argument(struct pt_regs *regs,
						     unsigned int n)
{
	const unsigned long args[] = {
		regs->di, regs->si, regs->dx, regs->cx, regs->r8, regs->r9,
	};

	return n < sizeof(args) / sizeof(args[0]) ? args[n] : 0;
}

#endif
