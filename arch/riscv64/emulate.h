/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What reads or writes the PC, away from its place, computed on saved registers.
 *
 * Pure: nothing is read but the arguments.
 */
#ifndef KP_ARCH_RISCV64_EMULATE_H
#define KP_ARCH_RISCV64_EMULATE_H

#include "insn/insn.h"

/* What Linux's struct pt_regs begins with: the PC, and x1 to x31. */
struct kp_rv_regs {
	uint64_t pc, x1[31];
} __attribute__((__may_alias__));

/*
 * Do what @insn does at @addr, to @regs; regs->pc is not read.  0; -EOPNOTSUPP: it neither
 * reads nor writes the PC, and is the same at any address, or is refused; then @regs are as
 * they were.
 */
int kp_rv_emulate(const struct kp_rv_insn *insn, uint64_t addr, struct kp_rv_regs *regs);

#endif
