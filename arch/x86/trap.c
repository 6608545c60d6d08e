/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * trap.c - moving back to a breakpoint.
 *
 * Owns: kp_arch_retry, kp_arch_breakpoint_stands.  arch_probe.h has what every hit needs of an
 * int3.
 */
#include "probe.h"

/*
 * int 3 has a form of two bytes, cd 03, which reports the same.  They may as well be the end
 * of an instruction and the start of the next one, which has a site as long as a trap of
 * its breakpoint may be on its way.
 */
KP_TRAP_PATH bool kp_arch_breakpoint_stands(const struct pt_regs *regs, bool starts,
					    int (*read)(void *dst, uintptr_t addr, size_t len))
{
	uint8_t last, two[2];

	if (read(&last, regs->ip - 1, 1) || last == kp_arch_bp[0])
		return true;
	return !starts && last == 0x03 && !read(two, regs->ip - 2, 2) && two[0] == 0xcd;
}

KP_TRAP_PATH void kp_arch_retry(struct pt_regs *regs)
{
	regs->ip -= KP_ARCH_BP_LEN;
}
