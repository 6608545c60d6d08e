/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * access.h - which memory an instruction loads or stores, and what becomes of its base.
 *
 * Pure.
 */
#ifndef KP_ARCH_ARM_ACCESS_H
#define KP_ARCH_ARM_ACCESS_H

#include "emulate.h"

#define KP_ARM_FLOAT_LEN 8		/* of a register for floating point, in an image */

struct kp_arm_access {
	uint32_t addr, written_back;
	unsigned int len;		/* bytes, of all of it */
	unsigned int d, d2, n;		/* registers: what is loaded or stored, and the base */
	uint32_t list;			/* or these */
	unsigned int image;		/* or so many bytes into those for floating point */
	bool is_signed, writes_back;
};

/* @value, shifted by an immediate; *carry becomes what falls out. */
uint32_t kp_arm_shifted(uint32_t value, unsigned int type, unsigned int nr, bool *carry);

/* Of @insn at @addr: one register or two; a list; registers for floating point; structures. */
void kp_arm_access_one(struct kp_arm_access *out, const struct kp_arm_insn *insn, uint32_t addr,
		       const struct kp_arm_regs *regs);
void kp_arm_access_list(struct kp_arm_access *out, const struct kp_arm_insn *insn,
			const struct kp_arm_regs *regs);
void kp_arm_access_floats(struct kp_arm_access *out, const struct kp_arm_insn *insn,
			  const struct kp_arm_regs *regs);
void kp_arm_access_structures(struct kp_arm_access *out, const struct kp_arm_insn *insn,
			      const struct kp_arm_regs *regs);

/* Of structures: registers that one has, how far they are apart, how long an element is. */
struct kp_arm_structure {
	uint8_t nr, apart, size;
	uint8_t times;			/* so many beside each other; 0: none, or one is unknown */
	bool lane;			/* of each register one element */
	uint8_t index;			/* ... this one */
};
void kp_arm_structure(struct kp_arm_structure *out, uint32_t word);

#endif
