/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * return.c - for a port without return probes.
 *
 * Owns: stubs; its arch_probe.h sets KP_ARCH_RETURNS to 0, so no return probe is registered.
 */
#include "return.h"

const char kp_arch_return_entry[1];

KP_TRAP_PATH bool kp_arch_stack_left(uintptr_t frame, uintptr_t sp)
{
	(void)frame;
	(void)sp;
	return false;
}

void kp_arch_emit_stub(uintptr_t stub, uintptr_t entry, uint8_t *image)
{
	(void)stub;
	(void)entry;
	(void)image;
}

KP_TRAP_PATH void kp_arch_guard_return(struct kp_arch_guard *guard,
				       struct pt_regs *regs)
{
	(void)guard;
	(void)regs;
}
