/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * trap.c - backing up to a breakpoint.
 *
 * Owns: kp_arch_retry; arch_probe.h has what every hit needs of an int3.
 */
#include "probe.h"

KP_TRAP_PATH void kp_arch_retry(struct pt_regs *regs)
{
	regs->ip -= KP_ARCH_BP_LEN;
}
