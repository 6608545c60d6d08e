/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kernel_return.h - signal handlers on processors whose kernel names no code that they
 * return through: they always return to the kernel's own, in the vdso or beside it.
 *
 * Owns: how handlers of ours begin and return there.  machine.h includes it, behind struct
 * sys_sigaction.
 */
#ifndef KP_USER_KERNEL_RETURN_H
#define KP_USER_KERNEL_RETURN_H

/* signal.S: they call kp_user_on_NAME, and return by themselves. */
extern const char kp_user_enter_trap[], kp_user_enter_fault[], kp_user_enter_gather[];
#define KP_SIGNAL_ENTRY(name) ((void *)(uintptr_t)kp_user_enter_##name)

static inline void kp_sig_returns(struct sys_sigaction *act)
{
	(void)act;
}

/* lead.c: find out where that code is.  With SIGTRAP open. */
void kp_user_lead_start(void);

/* What else a processor finds out then. */
#ifndef KP_LEAD_ALSO
#define KP_LEAD_ALSO() ((void)0)
#endif

/* Where it is, which never changes; 0: not known yet. */
extern uintptr_t kp_user_kernel_return __attribute__((visibility("hidden")));

#endif
