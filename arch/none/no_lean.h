/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * no_lean.h - the constants of lean.h for a port whose entries call no handler by themselves.
 *
 * Owns: these constants.  The port's arch_probe.h includes it; lean.c has the rest.
 */
#ifndef KP_NO_LEAN_H
#define KP_NO_LEAN_H

#define KP_ARCH_LEAN_HITS	0
#define KP_ARCH_LEAN_RETURNS	0

KP_ARCH_EACH_HIT uintptr_t *kp_arch_lean_word(const struct pt_regs *regs)
{
	(void)regs;
	return NULL;
}

KP_ARCH_EACH_HIT uintptr_t kp_arch_lean_next(const struct pt_regs *regs)
{
	(void)regs;
	return 0;
}

#endif
