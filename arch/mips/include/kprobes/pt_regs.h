/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kprobes/pt_regs.h - MIPS registers for hosts that are not the kernel.
 *
 * Owns: struct pt_regs as the kernel's, so that one handler source serves every host.
 */
#ifndef KPROBES_PT_REGS_H
#define KPROBES_PT_REGS_H

struct pt_regs {
#if defined(__mips__) && !defined(__mips64)
	unsigned long pad0[8];	/* where functions of 32 bits put their arguments */
#endif
	unsigned long regs[32];
	unsigned long cp0_status;
	unsigned long hi;
	unsigned long lo;
	unsigned long cp0_badvaddr;
	unsigned long cp0_cause;
	unsigned long cp0_epc;
};

typedef unsigned int kprobe_opcode_t;

#define MAX_STACK_SIZE 128

static inline unsigned long regs_return_value(struct pt_regs *regs)
{
	return regs->regs[2];
}

static inline unsigned long instruction_pointer(struct pt_regs *regs)
{
	return regs->cp0_epc;
}

static inline void instruction_pointer_set(struct pt_regs *regs,
					   unsigned long pc)
{
	regs->cp0_epc = pc;
}

static inline unsigned long kernel_stack_pointer(struct pt_regs *regs)
{
	return regs->regs[29];
}

static inline unsigned long user_stack_pointer(struct pt_regs *regs)
{
	return regs->regs[29];
}

/* How many arguments a function finds in registers. */
#if defined(__mips__) && !defined(__mips64)
#define KP_MIPS_ARGUMENTS 4
#else
#define KP_MIPS_ARGUMENTS 8
#endif

/* Integer argument n at a function's entry; 0 beyond those in registers. */
static inline unsigned long regs_get_kernel_argument(struct pt_regs *regs,
						     unsigned int n)
{
	return n < KP_MIPS_ARGUMENTS ? regs->regs[4 + n] : 0;
}

#endif
