// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * access.c - a watchpoint traps before the access is made, again and again.
 *
 * Owns: that nobody steps over it here, so that no word is watched.
 */
#include "local.h"

void kp_access_start(void)
{
}

void kp_access_stop(void)
{
}

const char *kp_access_refused(void)
{
	return "a watchpoint traps before the access, and nothing steps over one on this processor";
}

KP_TRAP_PATH void kp_access_trapped(struct pt_regs *regs, uintptr_t word)
{
	(void)regs;
	(void)word;
}
