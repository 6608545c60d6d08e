// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * short_guard.c - where a hit on the short way goes on when its handler is abandoned.
 *
 * Owns: how such a hit is told from others by the words below its registers.
 */
#include "int3.h"
#include "local.h"

/* The landing returns to kp_int3_aborted, from the word below kp_int3_entry's. */
KP_TRAP_PATH void kp_short_guard(struct kp_arch_guard *guard,
				const struct pt_regs *regs)
{
	*guard = (struct kp_arch_guard){
		.sp = (uintptr_t)regs - 2 * sizeof(long),
		.ip = (unsigned long)kp_int3_aborted,
	};
}

/* Below regs: what the kernel called from, regs, what kp_int3_hit returns to. */
bool kp_short_took(const struct pt_regs *regs)
{
	return ((const unsigned long *)regs)[-3] ==
	       (unsigned long)kp_int3_called;
}
