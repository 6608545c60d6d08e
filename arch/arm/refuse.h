/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * refuse.h - deciding about one instruction, and what breakpoints are.
 */
#ifndef KP_ARM_REFUSE_H
#define KP_ARM_REFUSE_H

#include "insn/insn.h"

/*
 * A32: udf #0x10, T32: udf #1, of those that Linux takes for a breakpoint; of an instruction
 * of four bytes in its first half.  In an IT block that might not trap: there bkpt #0 does
 * whatever the block says, of which a kernel complains each time.
 */
#define KP_ARM_A32_BP 0xe7f001f0u
#define KP_ARM_T32_BP 0xde01u
#define KP_ARM_BLOCK_BP 0xbe00u

/* 0, or -errno with *reason.  user: the text is executed in user mode. */
int kp_arm_refuse(const struct kp_arm_insn *insn, bool user, const char **reason);

/* Any that Linux takes for one. */
bool kp_arm_is_breakpoint(const struct kp_arm_insn *insn);

/* Does it trap as one does?  In a kernel all come the same way. */
bool kp_arm_is_trap(const struct kp_arm_insn *insn);

#endif
