/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kt_machine_words.h - what a trace module does with registers where arguments are in
 * registers side by side, and then on the stack: arm, arm64, riscv64 and MIPS.
 *
 * Owns: where those are as a function begins.  kt_machine.h includes it behind
 * KT_MACHINE_ARGS, how many registers these are, KT_MACHINE_FIRST(regs), where they begin,
 * and KT_MACHINE_ON_STACK(regs), where the others do.  Trap path.
 */
#ifndef KT_MACHINE_WORDS_H
#define KT_MACHINE_WORDS_H

/* Where it is on the stack; or 0: in a register. */
static inline u64 kt_machine_stack_arg(const struct pt_regs *regs, u32 number)
{
	return number < KT_MACHINE_ARGS ? 0
					: KT_MACHINE_ON_STACK(regs) +
						  (u64)sizeof(long) * (number - KT_MACHINE_ARGS);
}

/* number is below KT_FROM_ARGS. */
static inline u64 kt_machine_arg(const struct pt_regs *regs, u32 number)
{
	return KT_MACHINE_ARGS >= KT_FROM_ARGS || number < KT_MACHINE_ARGS
		       ? KT_MACHINE_FIRST(regs)[number]
		       : kt_stack_word(kt_machine_stack_arg(regs, number));
}

static inline u64 kt_machine_lean_arg(const struct pt_regs *regs, u32 number)
{
	return kt_machine_arg(regs, number);
}

/* number is a constant, and less than four. */
static inline u64 kt_machine_plain_arg(const struct pt_regs *regs, u32 number)
{
	return KT_MACHINE_FIRST(regs)[number];
}

static inline u64 kt_machine_late_arg(const struct pt_regs *regs, u32 number)
{
	return KT_MACHINE_FIRST(regs)[number];
}

/* What a watched access puts into KT_WATCH_REGS, in their order. */
static inline void kt_machine_note(struct pt_regs *regs, const u64 words[6])
{
	u32 i;

	for (i = 0; i < 6; i++)
		KT_MACHINE_FIRST(regs)[i] = (unsigned long)words[i];
}

/* What a function's first argument is taken to be. */
static inline void kt_machine_set_first(struct pt_regs *regs, u64 value)
{
	KT_MACHINE_FIRST(regs)[0] = (unsigned long)value;
}

#endif
