// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * lead.c - where handlers of the program return to: the kernel's own code.
 *
 * Owns: kp_user_kernel_return.  A breakpoint of ours, executed once at the start, tells where
 * that code is (signal.S); its system call is then watched as others are (numbers.c).
 *
 * Locks: the registry lock.
 */
#include "machine.h"
#include "syscalls.h"
#include "text/intercept.h"

extern const char kp_user_ask_return[];
uintptr_t kp_user_kernel_return;

void kp_user_lead_start(void)
{
	const uintptr_t at = (uintptr_t)kp_user_ask_return;
	struct kp_intercept back = {
		.addr = at, .kind = KP_INTERCEPT_BACK, .stub = at + KP_ARCH_BP_LEN,
	};

	KP_LEAD_ALSO();
	if (kp_user_kernel_return)
		return;
	memcpy(back.original, kp_arch_bp, KP_ARCH_BP_LEN);
	if (!kp_user_intercept_add(&back))
		((void (*)(void))at)();
}

KP_TRAP_PATH void kp_user_lead_return(struct sys_sigaction *act)
{
	(void)act;
}

KP_TRAP_PATH void kp_user_hide_return(struct sys_sigaction *act)
{
	(void)act;
}
