// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * access_tell.c - an access to a watched word is told to the core.
 *
 * Owns: whose accesses are told.  All of it is trap path.
 */
#include <linux/module.h>
#include "local.h"
#include "watch.h"

#ifdef CONFIG_HAVE_HW_BREAKPOINT

KP_TRAP_PATH bool kp_access_told(struct pt_regs *regs)
{
	return !within_module(instruction_pointer(regs), THIS_MODULE);
}

KP_TRAP_PATH void kp_access_tell(struct pt_regs *regs, uintptr_t word)
{
	kp_context_trap_begin();
	kp_core_on_access(regs, word);
	kp_context_trap_end();
}

#endif
