/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * walk.h - from one instruction to the next, for who reads whole functions.
 *
 * Owns: struct kp_insn_step, what of an instruction such a reader needs.
 */
#ifndef KP_ARCH_X86_INSN_WALK_H
#define KP_ARCH_X86_INSN_WALK_H

#include "insn.h"

struct kp_insn_step {
	uint8_t length;
	uint8_t flow;		/* enum kp_insn_flow */
	bool breakpoint;	/* int3 */
	bool relative;		/* kp_insn_is_rel_branch */
	int64_t target;		/* of a relative one, from the first byte */
};

/*
 * As kp_insn_decode in this processor's mode, the same errors too, for a fraction of the
 * time where the instruction is a common one.
 */
int kp_insn_walk(struct kp_insn_step *step, const uint8_t *bytes, size_t avail);

#endif
