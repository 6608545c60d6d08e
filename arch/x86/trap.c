/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * trap.c - where an int3 leaves the instruction pointer.
 *
 * Owns: the one fact that int3 reports the address behind its byte.
 */
#include "probe.h"

KP_TRAP_PATH uintptr_t kp_arch_trap_addr(const struct pt_regs *regs)
{
	return regs->ip - KP_ARCH_BP_LEN;
}

KP_TRAP_PATH void kp_arch_retry(struct pt_regs *regs)
{
	regs->ip -= KP_ARCH_BP_LEN;
}

KP_TRAP_PATH void kp_arch_set_pre_ip(struct pt_regs *regs, uintptr_t addr)
{
	regs->ip = addr + KP_ARCH_BP_LEN;
}
