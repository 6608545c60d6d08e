/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kt_machine.h - what a trace module does with registers on riscv64.
 *
 * Owns: where arguments are in struct pt_regs, and how a function returns at once.
 * Trap path.
 */
#ifndef KT_MACHINE_H
#define KT_MACHINE_H

#define KT_MACHINE_REGS 32u		/* of struct pt_regs, in words: to t6 */
/* Where a kernel's memory begins: that of its stacks lies below PAGE_OFFSET. */
#define KT_MACHINE_KERNEL (0ull - (1ull << (VA_BITS - 1)))
#define KT_MACHINE_ARGS 8u		/* in registers */

static inline u64 kt_machine_arg(const struct pt_regs *regs, u32 number)
{
	return (&regs->a0)[number];
}

static inline u64 kt_machine_plain_arg(const struct pt_regs *regs, u32 number)
{
	return (&regs->a0)[number];
}

static inline u64 kt_machine_lean_arg(const struct pt_regs *regs, u32 number)
{
	return (&regs->a0)[number];
}

/* Where it is on the stack; or 0: in a register. */
static inline u64 kt_machine_stack_arg(const struct pt_regs *regs, u32 number)
{
	return number < KT_MACHINE_ARGS ? 0
					: regs->sp + 8ull * (number - KT_MACHINE_ARGS);
}

static inline u64 kt_machine_late_arg(const struct pt_regs *regs, u32 number)
{
	return (&regs->a0)[number];
}

/* What a watched access puts into KT_WATCH_REGS, in their order. */
static inline void kt_machine_note(struct pt_regs *regs, const u64 words[6])
{
	regs->a0 = words[0];
	regs->a1 = words[1];
	regs->a2 = words[2];
	regs->a3 = words[3];
	regs->a4 = words[4];
	regs->a5 = words[5];
}

/* What a function's first argument is taken to be. */
static inline void kt_machine_set_first(struct pt_regs *regs, u64 value)
{
	regs->a0 = value;
}

/* A handler's IP is at the breakpoint. */
static inline u64 kt_machine_hit_addr(const struct pt_regs *regs)
{
	return regs->epc;
}

/* A function has just begun: as if it had returned that at once. */
static inline void kt_machine_return(struct pt_regs *regs, u64 value)
{
	regs->a0 = value;
	regs->epc = regs->ra;
}

#endif
