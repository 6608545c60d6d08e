/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * inherit.c - what a program that is executed gets of its predecessor.
 *
 * Owns: execve for the program, in the trap of its system call (mask.c): the
 * kernel hands on the thread's mask and which signals are ignored, and of both it
 * knows ours.  So for the time of the call they become the program's:
 *
 * 1. signals that we hold and the program ignores are ignored
 * 2. the thread's mask is what the program wants, SIGTRAP too
 * 3. execve, with the environment that follow.c makes; only when it fails, there is
 *    a way back
 * 4. the mask, then the dispositions
 *
 * Another thread that hits a breakpoint meanwhile would die of an ignored
 * SIGTRAP: step 1 is left out while there are others.  A child of vfork has
 * dispositions of its own, and tells here what it makes of them.
 */
#include "signals/inherit.h"
#include "atomic.h"
#include "attach.h"
#include "machine.h"
#include "signal_sets.h"
#include "process/ids.h"
#include "process/threads.h"
#include "process/writer.h"
#include "threads/contexts.h"
#include "threads/defer.h"
#include "threads/stack.h"
#include "signals/action.h"
#include "signals/follow.h"

/* The child of vfork that has set dispositions last. */
static struct {
	int pid;
	sys_sigset set, ignored;
} child;

/* In a child of vfork: its sigaction, which is not recorded (mask.c). */
KP_TRAP_PATH void kp_user_child_action(int sig, const struct sys_sigaction *act)
{
	int pid = sys_getpid();

	if (child.pid != pid) {
		child.pid = pid;
		child.set = child.ignored = sys_set_of(0);
	}
	child.set |= SYS_SIG(sig);
	if (act->handler == (void *)SIG_IGN)
		child.ignored |= SYS_SIG(sig);
	else
		child.ignored &= ~SYS_SIG(sig);
}

KP_TRAP_PATH static bool ignores(int sig)
{
	struct sys_sigaction act;

	if (kp_user_in_vfork_child() && child.pid == sys_getpid() &&
	    sys_any(child.set & SYS_SIG(sig)))
		return sys_any(child.ignored & SYS_SIG(sig));
	kp_user_action_swap(sig, NULL, &act);
	return act.handler == (void *)SIG_IGN;
}

KP_TRAP_PATH static bool is_another(int tid, void *unused)
{
	(void)unused;
	return tid != kp_load_relaxed(&kp_attach.service_tid) &&
	       tid != kp_user_defer_tid() && !kp_user_is_holder(tid);
}

/* No other thread of the program's, as far as the system says. */
KP_TRAP_PATH static bool alone(void)
{
	return kp_user_in_vfork_child() ||
	       !kp_user_each_thread(is_another, NULL);
}

static const int held[] = { SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGILL };
#define HELD_NR (sizeof(held) / sizeof(held[0]))

/* A bit for each that was changed. */
KP_TRAP_PATH static unsigned int ignore(struct sys_sigaction olds[HELD_NR])
{
	struct sys_sigaction act = { .handler = (void *)SIG_IGN };
	unsigned int i, done = 0;

	for (i = 0; i < HELD_NR; i++)
		if (ignores(held[i]) && !sys_sigaction(held[i], &act, &olds[i]))
			done |= 1u << i;
	return done;
}

KP_TRAP_PATH static long execute(ucontext_t *uc)
{
	struct kp_user_context *ctx = kp_user_context();
	sys_sigset mask = *kp_user_mask_of(uc), before;
	struct sys_sigaction olds[HELD_NR];
	unsigned int i, done = 0;
	long nr = kp_uc_call(uc), path = kp_uc_arg(uc, 0), result;
	long env = kp_uc_arg(uc, 2);

	if (ctx && ctx->trap_blocked)
		mask |= SYS_SIG(SIGTRAP);
	if (nr == SYS_execve)
		env = (long)kp_user_follow((const char *)path, (char **)env,
					   ignores(SIGTRAP) || sys_any(mask & SYS_SIG(SIGTRAP)));
	else
		kp_user_follow_not((const char *)path);
	if (alone())
		done = ignore(olds);
	sys_sigprocmask(SIG_SETMASK, &mask, &before);
	result = sys6(nr, path, kp_uc_arg(uc, 1), env, kp_uc_arg(uc, 3),
		      kp_uc_arg(uc, 4), 0);
	kp_user_follow_failed();
	sys_sigprocmask(SIG_SETMASK, &before, NULL);
	for (i = 0; i < HELD_NR; i++)
		if (done >> i & 1)
			sys_sigaction(held[i], &olds[i], NULL);
	return result;
}

struct executing {
	ucontext_t *uc;
	long result;
};

KP_TRAP_PATH static void execute_apart(void *arg)
{
	struct executing *e = arg;

	e->result = execute(e->uc);
}

KP_TRAP_PATH long kp_user_exec(ucontext_t *uc)
{
	struct executing e = { uc, 0 };

	if (kp_user_in_vfork_child())
		kp_user_on_stack_of_ours(execute_apart, &e);
	else
		execute_apart(&e);
	return e.result;
}
