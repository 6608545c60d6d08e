/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * mask_wanted.c - what the program wants of its masks.
 *
 * Owns: the difference between a mask that the program sets and the one that the kernel has:
 * SIGTRAP is never blocked there, nor is SIGSEGV from the first protected page on.  A thread's
 * context says what the program believes.
 *
 * Trap path.
 */
#include "signals/mask_wanted.h"
#include "signal_sets.h"
#include "threads/contexts.h"

#define TRAP SYS_SIG(SIGTRAP)
#define SEGV SYS_SIG(SIGSEGV)		/* how writes to protected pages are noticed */

bool kp_user_pages_on;

/* What no mask may hold. */
KP_TRAP_PATH static sys_sigset never_blocked(void)
{
	if (kp_user_pages_on)
		return TRAP | SEGV;
	return TRAP;
}

KP_TRAP_PATH long kp_user_mask_change(struct kp_user_context *ctx, ucontext_t *uc,
				     long how, sys_sigset set)
{
	sys_sigset *mask = kp_user_mask_of(uc), next = *mask;

	if (ctx && ctx->trap_blocked)
		next |= TRAP;
	if (ctx && ctx->fault_hidden)
		next |= SEGV;
	switch (how) {
	case SIG_BLOCK:
		next |= set;
		break;
	case SIG_UNBLOCK:
		next &= ~set;
		break;
	case SIG_SETMASK:
		next = set;
		break;
	default:
		return -EINVAL;
	}
	next &= ~(SYS_SIG(SIGKILL) | SYS_SIG(SIGSTOP));
	*mask = next & ~never_blocked();
	if (!ctx)
		return 0;
	ctx->fault_hidden = kp_user_pages_on && sys_any(next & SEGV);
	ctx->trap_blocked = sys_any(next & TRAP);
	ctx->faults_blocked = sys_any(next & KP_SIG_FAULTS);
	return 0;
}

/*
 * A signal's handler of the program is about to return, to a mask that it may
 * have changed: the kernel's word for "blocked" is the handler's own.
 */
KP_TRAP_PATH void kp_user_mask_returned(ucontext_t *uc)
{
	struct kp_user_context *ctx = kp_user_context();
	sys_sigset *mask = kp_user_mask_of(uc);

	if (ctx && sys_any(*mask & TRAP))
		ctx->trap_blocked = true;
	if (ctx && sys_any(*mask & KP_SIG_FAULTS))
		ctx->faults_blocked = true;
	if (ctx && kp_user_pages_on && sys_any(*mask & SEGV))
		ctx->fault_hidden = true;
	*mask &= ~never_blocked();
}
