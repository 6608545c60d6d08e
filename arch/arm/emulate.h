/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What reads or writes the PC, away from its place, computed on saved registers.
 *
 * Pure: nothing is read but the arguments, and memory through them.
 */
#ifndef KP_ARCH_ARM_EMULATE_H
#define KP_ARCH_ARM_EMULATE_H

#include "insn/insn.h"

struct kp_arch_mem;

/* What Linux's struct pt_regs begins with.  The PC has no bit 0: CPSR's T says Thumb. */
struct kp_arm_regs {
	uint32_t r[15], pc, cpsr;
} __attribute__((__may_alias__));

#define KP_ARM_CPSR_T 0x20u
#define KP_ARM_CPSR_E 0x200u		/* data has the other byte order */
#define KP_ARM_CPSR_C 0x20000000u
#define KP_ARM_CPSR_IT 0x0600FC00u

/*
 * The state of an IT block, as the instruction in it has it in its lower half: the condition,
 * and above 0 in the lower four bits as long as there is one.
 */
uint32_t kp_arm_it_get(uint32_t cpsr);

/* Does its condition hold, in an IT block, too?  And on behind it. */
bool kp_arm_goes(const struct kp_arm_insn *insn, uint32_t cpsr);
void kp_arm_go_on(const struct kp_arm_insn *insn, struct kp_arm_regs *regs);

/* Is it computed?  Otherwise it is the same at any address, or is refused. */
bool kp_arm_is_emulated(const struct kp_arm_insn *insn);

/*
 * Do what @insn does at @addr, to @regs, whose PC is not read: nothing but going on if its
 * condition fails, in an IT block, too.  0; or -EFAULT, -EOPNOTSUPP (it is not computed) with
 * @regs as they were.
 */
int kp_arm_emulate(const struct kp_arm_insn *insn, uint32_t addr, struct kp_arm_regs *regs,
		   const struct kp_arch_mem *mem);

#endif
