/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What reads or writes the PC, away from its place, computed on saved registers.
 */
#ifndef KP_ARCH_MIPS_EMULATE_H
#define KP_ARCH_MIPS_EMULATE_H

#include "probe.h"

/*
 * Do what @insn does at @addr, and a nop in its delay slot if it has one, to @regs, whose PC
 * is not read.  0; -EFAULT: memory cannot be read; -EOPNOTSUPP: it neither reads nor writes
 * the PC, or does not follow from @regs.  Then @regs are as they were.
 */
int kp_mips_emulate(const struct kp_mips_insn *insn, uintptr_t addr, struct pt_regs *regs,
		    const struct kp_arch_mem *mem);

/* Does a branch that compares registers go to its target? */
bool kp_mips_is_taken(const struct kp_mips_insn *insn, const struct pt_regs *regs);

#endif
