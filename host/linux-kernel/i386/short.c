// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * short.c - breakpoints take the kernel's own way, through the die notifiers (trap.c).
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
	return false;
}

/* No hit is called so. */
KP_TRAP_PATH void kp_short_guard(struct kp_arch_guard *guard, const struct pt_regs *regs)
{
	BUG();
}
