/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * store.h - what an instruction stores, between written.c and store.c.
 */
#ifndef KP_ARCH_ARM_STORE_H
#define KP_ARCH_ARM_STORE_H

#include "access.h"

enum kp_arm_stored {
	KP_ARM_STORES_NONE,
	KP_ARM_STORES_ONE,		/* a register, or two */
	KP_ARM_STORES_LIST,
	KP_ARM_STORES_FLOATS,
	KP_ARM_STORES_STRUCTURES,
	KP_ARM_STORES_UNCERTAIN,	/* nobody knows whether or where */
};
enum kp_arm_stored kp_arm_stored(const struct kp_arm_insn *insn);

/* swp: it loads what was there, too. */
bool kp_arm_swaps(const struct kp_arm_insn *insn);

/* Where: with the registers before it. */
void kp_arm_store_place(struct kp_arm_access *out, const struct kp_arm_insn *insn, uint32_t addr,
			const struct kp_arm_regs *regs);

#endif
