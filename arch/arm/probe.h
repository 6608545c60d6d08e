/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * probe.h - how the files of arch/arm see struct pt_regs.
 *
 * Owns: the assertions that every host's begins as struct kp_arm_regs does, since emulation
 * relies on it.
 */
#ifndef KP_ARM_PROBE_H
#define KP_ARM_PROBE_H

#include "arch.h"

_Static_assert(offsetof(struct pt_regs, ARM_r0) == 0, "pt_regs: r0");
_Static_assert(offsetof(struct pt_regs, ARM_pc) == offsetof(struct kp_arm_regs, pc), "pt_regs: pc");
_Static_assert(offsetof(struct pt_regs, ARM_cpsr) == offsetof(struct kp_arm_regs, cpsr),
	       "pt_regs: cpsr");

static inline struct kp_arm_regs *kp_arm_regs(struct pt_regs *regs)
{
	return (struct kp_arm_regs *)regs;
}

/*
 * Does anything do the instruction's work at another address, without it?  What reads the PC
 * may have to be done there by a register that is not free.
 */
bool kp_arm_has_work(const struct kp_arch_probe *ap);

/*
 * The 16 bytes that make a frame and go to detour_entry.S, by the address that follows
 * (detour.c); and leaving them, off bytes in.
 */
#define KP_ARM_CALL_LEN 16
void kp_arm_put_call(bool thumb, uint8_t *image);
void kp_arm_leave_call(struct pt_regs *regs, uintptr_t off, const struct kp_arch_mem *mem);

static inline uintptr_t kp_arm_next(const struct kp_arch_probe *ap)
{
	return ap->addr + ap->len;
}

#endif
