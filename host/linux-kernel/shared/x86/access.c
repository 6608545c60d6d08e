// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * access.c - a debug register traps when the access was made.
 *
 * Owns: nothing: it is told at once.
 *
 * No locks.
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
	return NULL;
}

KP_TRAP_PATH void kp_access_trapped(struct pt_regs *regs, uintptr_t word)
{
	if (kp_access_told(regs))
		kp_access_tell(regs, word);
}
