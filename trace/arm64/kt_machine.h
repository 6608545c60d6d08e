/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kt_machine.h - what a trace module does with registers on arm64.
 *
 * Owns: where arguments are in struct pt_regs, and how a function returns at once.
 * Trap path.
 */
#ifndef KT_MACHINE_H
#define KT_MACHINE_H

#define KT_MACHINE_REGS 34u		/* of struct pt_regs, in words */
#define KT_MACHINE_KERNEL PAGE_OFFSET	/* where a kernel's memory begins */
#define KT_MACHINE_ARGS 8u		/* in registers */

static inline u64 kt_machine_arg(const struct pt_regs *regs, u32 number)
{
	return regs->regs[number];
}

static inline u64 kt_machine_plain_arg(const struct pt_regs *regs, u32 number)
{
	return regs->regs[number];
}

static inline u64 kt_machine_lean_arg(const struct pt_regs *regs, u32 number)
{
	return regs->regs[number];
}

/* Where it is on the stack; or 0: in a register. */
static inline u64 kt_machine_stack_arg(const struct pt_regs *regs, u32 number)
{
	return number < KT_MACHINE_ARGS ? 0
					: regs->sp + 8ull * (number - KT_MACHINE_ARGS);
}

static inline u64 kt_machine_late_arg(const struct pt_regs *regs, u32 number)
{
	return regs->regs[number];
}

/* What a watched access puts into KT_WATCH_REGS, in their order. */
static inline void kt_machine_note(struct pt_regs *regs, const u64 words[6])
{
	regs->regs[0] = words[0];
	regs->regs[1] = words[1];
	regs->regs[2] = words[2];
	regs->regs[3] = words[3];
	regs->regs[4] = words[4];
	regs->regs[5] = words[5];
}

/* What a function's first argument is taken to be. */
static inline void kt_machine_set_first(struct pt_regs *regs, u64 value)
{
	regs->regs[0] = value;
}

/* A handler's IP is at the breakpoint. */
static inline u64 kt_machine_hit_addr(const struct pt_regs *regs)
{
	return regs->pc;
}

/* A function has just begun: as if it had returned that at once. */
static inline void kt_machine_return(struct pt_regs *regs, u64 value)
{
	regs->regs[0] = value;
	regs->pc = regs->regs[30];
}

#endif
