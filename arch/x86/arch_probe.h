/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * arch_probe.h - per-probe data and constants of x86.
 *
 * Owns: struct kp_arch_probe and struct kp_arch_guard.  Written once by
 * kp_arch_prepare, before publication; read without locks on the trap path.
 */
#ifndef KP_X86_ARCH_PROBE_H
#define KP_X86_ARCH_PROBE_H

#include "env.h"

#define KP_ARCH_BP_LEN		1
#define KP_ARCH_INSN_MAX	15
#define KP_ARCH_SLOT_LEN	128

static const uint8_t kp_arch_bp[KP_ARCH_BP_LEN] = { 0xcc };	/* int3 */

struct kp_arch_probe {
	uintptr_t addr;		/* of the probed instruction */
	uint8_t class;		/* enum kp_arch_class */
	uint8_t len;		/* of the probed instruction */
	uint8_t insn[KP_ARCH_INSN_MAX];
};

/* Callee-saved state of kp_arch_guard_call; entry.S knows the offsets. */
struct kp_arch_guard {
	unsigned long sp, ip, bx, bp, r12, r13, r14, r15;
	unsigned long aborted;
};

#endif
