/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * lean.c - for a port whose entries call no handler by themselves.
 *
 * Owns: the answer that no handler is lean, so nothing else of lean.h is called.
 */
#include "lean.h"

bool kp_arch_lean(uintptr_t addr,
		  int (*read)(uint8_t *dst, uintptr_t addr, size_t len),
		  bool (*patched)(uintptr_t addr, size_t len))
{
	(void)addr;
	(void)read;
	(void)patched;
	return false;
}

KP_TRAP_PATH uintptr_t kp_arch_lean_tag(const struct pt_regs *frame,
					const struct pt_regs *regs)
{
	(void)frame;
	(void)regs;
	return 0;
}

KP_TRAP_PATH void kp_arch_guard_return_lean(struct kp_arch_guard *guard,
					    const struct pt_regs *frame,
					    const struct pt_regs *regs)
{
	(void)guard;
	(void)frame;
	(void)regs;
}

KP_TRAP_PATH void kp_arch_guard_lean(struct kp_arch_guard *guard,
				     const struct pt_regs *frame,
				     const struct pt_regs *regs)
{
	(void)guard;
	(void)frame;
	(void)regs;
}
