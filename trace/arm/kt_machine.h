/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kt_machine.h - what a trace module does with registers on arm.
 *
 * Owns: where arguments are in struct pt_regs, and how a function returns at once.
 * Trap path.
 */
#ifndef KT_MACHINE_H
#define KT_MACHINE_H

#define KT_MACHINE_REGS 17u		/* of struct pt_regs, in words */
#define KT_MACHINE_KERNEL MODULES_VADDR	/* where a kernel's memory begins */
#define KT_MACHINE_ARGS 4u		/* in registers */

/* Where it is on the stack; or 0: in a register. */
static inline u64 kt_machine_stack_arg(const struct pt_regs *regs, u32 number)
{
	return number < KT_MACHINE_ARGS ? 0
					: regs->ARM_sp + 4ull * (number - KT_MACHINE_ARGS);
}

static inline u64 kt_machine_arg(const struct pt_regs *regs, u32 number)
{
	return number < KT_MACHINE_ARGS ? regs->uregs[number]
					: kt_stack_word(kt_machine_stack_arg(regs, number));
}

/* number is a constant, and less than four. */
static inline u64 kt_machine_plain_arg(const struct pt_regs *regs, u32 number)
{
	return regs->uregs[number];
}

static inline u64 kt_machine_lean_arg(const struct pt_regs *regs, u32 number)
{
	return kt_machine_arg(regs, number);
}

static inline u64 kt_machine_late_arg(const struct pt_regs *regs, u32 number)
{
	return regs->uregs[number];
}

/* What a watched access puts into KT_WATCH_REGS, in their order. */
static inline void kt_machine_note(struct pt_regs *regs, const u64 words[6])
{
	u32 i;

	for (i = 0; i < 6; i++)
		regs->uregs[i] = (unsigned long)words[i];
}

/* What a function's first argument is taken to be. */
static inline void kt_machine_set_first(struct pt_regs *regs, u64 value)
{
	regs->ARM_r0 = (unsigned long)value;
}

/* A handler's IP is at the breakpoint. */
static inline u64 kt_machine_hit_addr(const struct pt_regs *regs)
{
	return regs->ARM_pc;
}

/* A function has just begun: as if it had returned that at once, to code of either set. */
static inline void kt_machine_return(struct pt_regs *regs, u64 value)
{
	regs->ARM_r0 = (unsigned long)value;
	regs->ARM_pc = regs->ARM_lr;
}

#endif
