// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * short.c - there is no shorter way than trap.c's on arm64 yet.
 *
 * Owns: saying so.
 */
#include "local.h"

void kp_short_start(void)
{
}

void kp_short_stop(void)
{
}

bool kp_short_usable(void)
{
	return false;
}

bool kp_short_took(const struct pt_regs *regs)
{
	(void)regs;
	return false;
}

/* Nobody comes that way. */
KP_TRAP_PATH void kp_short_guard(struct kp_arch_guard *guard,
				 const struct pt_regs *regs)
{
	(void)guard;
	(void)regs;
}
