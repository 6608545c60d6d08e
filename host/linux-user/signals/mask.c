/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * mask.c - SIGTRAP stays open, whatever the program does to its masks.
 *
 * Owns: what the program wants of SIGTRAP in its masks, where that differs from what the
 * kernel has.
 *
 * A breakpoint that is hit while SIGTRAP is blocked kills the process, and the
 * C library blocks all signals in many places of its own (pthread_create,
 * posix_spawn, abort, …), with system calls that are compiled into it and pass
 * through no function that could be replaced.  So each of those `syscall`
 * instructions gets a breakpoint of the host's own (syscalls.c), and here the call
 * is done for the program:
 *
 *   rt_sigprocmask   computed on the mask that the return from our handler
 *                    will restore, without SIGTRAP
 *   rt_sigaction     for the signals that we hold: on action.c's table; for
 *                    others: passed on, without SIGTRAP in the mask
 *   rt_sigtimedwait  when it waits for SIGTRAP: wait_for_trap()
 *   rt_sigsuspend, ppoll, pselect6, epoll_pwait, epoll_pwait2, io_pgetevents,
 *   io_uring_enter   executed out of line with an edited copy of the mask
 *   sigaltstack      executed out of line, and noted (stack.c); so are seccomp
 *                    and prctl, if they install a filter (filter.c); prctl for
 *                    PR_SET_SYSCALL_USER_DISPATCH is refused
 *   execve           with the program's mask and ignored signals (inherit.c)
 *   rt_sigreturn     the mask in the frame, which the handler may have changed
 *
 * The program sees what it set: SIGTRAP in a mask that it reads back, and a
 * foreign SIGTRAP that it blocked is kept until it unblocks it.
 *
 * The signals of faults may be blocked, but for SIGSEGV where pages are protected; a
 * hit opens them for its handlers where its thread has (context.c).  No call says
 * when a signal's handler begins, so they are taken out of its mask like SIGTRAP.
 *
 * Not kept up: signalfd for SIGTRAP.  Not seen: calls from code that belongs to
 * no object, as a JIT compiler's, and calls in code that has no description for
 * unwinders whose number is not set right before them.
 */
#include "signals/mask.h"
#include "atomic.h"
#include "host.h"
#include "machine.h"
#include "signal_sets.h"
#include "syscalls.h"
#include "thread.h"
#include "process/ids.h"
#include "threads/contexts.h"
#include "threads/stack.h"
#include "threads/thread_stack.h"
#include "text/intercept.h"
#include "signals/action.h"
#include "signals/inherit.h"
#include "signals/mask_wanted.h"
#include "signals/seccomp.h"

#define TRAP SYS_SIG(SIGTRAP)
#define SEGV SYS_SIG(SIGSEGV)		/* how writes to protected pages are noticed */
#define MINSIGSTKSZ_OF_OLD 2048		/* the kernel's least */
#define SET_DISPATCH 59			/* PR_SET_SYSCALL_USER_DISPATCH */
#define URING_EXT_ARG 8			/* IORING_ENTER_EXT_ARG */

/* Where signal.S knows them. */
#ifdef KP_UC_MASK_AT
_Static_assert(offsetof(ucontext_t, uc_sigmask) == KP_UC_MASK_AT, "UC_MASK");
_Static_assert(KP_SIG_HELD == 0x4d8, "HELD");
#endif

#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 SYS_NEWER(441)
#endif

/* What each signal's handler was to run with blocked, of those that we hold. */
static sys_sigset held_in_mask[SYS_SIGNALS + 1];

/* ---- the system calls ---------------------------------------------------- */

KP_TRAP_PATH static void release_held(struct kp_user_context *ctx)
{
	siginfo_t info;

	if (!ctx || ctx->trap_blocked)
		return;
	if (ctx->trap_held) {
		ctx->trap_held = false;
		kp_user_send_self(SIGTRAP, &ctx->held);
	} else if (kp_user_take_held(&info)) {
		kp_user_send_self(SIGTRAP, &info);
	}
}

/* len: how much of a mask the program's has. */
KP_TRAP_PATH static long do_sigprocmask(ucontext_t *uc, size_t len)
{
	uintptr_t from = (uintptr_t)kp_uc_arg(uc, 1);
	uintptr_t to = (uintptr_t)kp_uc_arg(uc, 2);
	struct kp_user_context *ctx = kp_user_context();
	sys_sigset old = *kp_user_mask_of(uc);
	/* Of what a shorter one does not tell nothing changes. */
	sys_sigset set = sys_set_of(0);
	long err = 0;

	if ((int)kp_uc_arg(uc, 0) == SIG_SETMASK)
		set = old;
	if (ctx && ctx->trap_blocked)
		old |= TRAP;
	if (ctx && ctx->fault_hidden)
		old |= SEGV;
	if (from) {
		if (kp_host_data_read(from, &set, len))
			return -EFAULT;
		err = kp_user_mask_change(ctx, uc, (int)kp_uc_arg(uc, 0), set);
	}
	if (!err && to)
		err = kp_host_data_write(to, &old, len);
	release_held(ctx);
	return err;
}

KP_TRAP_PATH static long swap_held(int sig, const struct sys_sigaction *act,
				   struct sys_sigaction *old)
{
	/* Only for the process that lent us its memory: not recorded here. */
	if (act && kp_user_in_vfork_child()) {
		kp_user_child_action(sig, act);
		act = NULL;
	}
	kp_user_action_swap(sig, act, old);
	return 0;
}

KP_TRAP_PATH static long swap_passed(int sig, struct sys_sigaction *act,
				     struct sys_sigaction *old)
{
	sys_sigset wanted = sys_set_of(0);
	long err;

	if (act) {
		wanted = act->mask & KP_SIG_HELD;
		act->mask &= ~KP_SIG_HELD;
		kp_user_lead_return(act);
	}
	err = sys_sigaction(sig, act, old);
	if (err)
		return err;
	kp_user_hide_return(old);
	old->mask |= held_in_mask[sig];
	if (act && !kp_user_in_vfork_child())
		held_in_mask[sig] = wanted;
	return 0;
}

/* act: or NULL. */
KP_TRAP_PATH static long swap_action(int sig, struct sys_sigaction *act,
				     struct sys_sigaction *old)
{
	return sys_any(SYS_SIG(sig) & KP_SIG_HELD) ? swap_held(sig, act, old) : swap_passed(sig, act, old);
}

KP_TRAP_PATH static long do_sigaction(ucontext_t *uc)
{
	uintptr_t from = (uintptr_t)kp_uc_arg(uc, 1);
	uintptr_t to = (uintptr_t)kp_uc_arg(uc, 2);
	long sig = (int)kp_uc_arg(uc, 0), err;
	struct sys_sigaction act, old, *new = NULL;

	if (kp_uc_arg(uc, 3) != sizeof(sys_sigset) || sig < 1 || sig > SYS_SIGNALS)
		return -EINVAL;
	if (from) {
		if (kp_host_data_read(from, &act, sizeof(act)))
			return -EFAULT;
		new = &act;
	}
	err = swap_action((int)sig, new, &old);
	if (!err && to)
		err = kp_host_data_write(to, &old, sizeof(old));
	return err;
}

/* ---- older calls, of masks of a word ------------------------------------------------ */

#ifdef SYS_sigprocmask
KP_TRAP_PATH static long do_old_sigaction(ucontext_t *uc)
{
	uintptr_t from = (uintptr_t)kp_uc_arg(uc, 1);
	uintptr_t to = (uintptr_t)kp_uc_arg(uc, 2);
	long sig = (int)kp_uc_arg(uc, 0), err;
	struct sys_sigaction act, old;
	struct sys_old_action given;

	if (sig < 1 || sig > SYS_SIGNALS)
		return -EINVAL;
	if (from && kp_host_data_read(from, &given, sizeof(given)))
		return -EFAULT;
	if (from)
		kp_old_action_get(&act, &given);
	err = swap_action((int)sig, from ? &act : NULL, &old);
	if (err || !to)
		return err;
	kp_old_action_put(&given, &old);
	return kp_host_data_write(to, &given, sizeof(given));
}

/* The mask is the argument. */
KP_TRAP_PATH static bool old_call(ucontext_t *uc)
{
	switch (kp_uc_call(uc)) {
	case SYS_sigprocmask:
		kp_uc_call_done(uc, do_sigprocmask(uc, sizeof(long)));
		return true;
	case SYS_sigaction:
		kp_uc_call_done(uc, do_old_sigaction(uc));
		return true;
	case SYS_sigsuspend:
		kp_uc_set_arg(uc, 2, kp_uc_arg(uc, 2) & ~(long)sys_first(KP_SIG_HELD));
		break;
	}
	return false;
}
#else
KP_TRAP_PATH static bool old_call(ucontext_t *uc)
{
	(void)uc;
	return false;
}
#endif

#ifdef SYS_sgetmask
#define ONCE 0xc0000000ul		/* SA_ONESHOT, SA_NOMASK */

KP_TRAP_PATH static long do_signal(ucontext_t *uc)
{
	struct sys_sigaction act = { .handler = (void *)kp_uc_arg(uc, 1), .flags = ONCE }, old;
	long sig = (int)kp_uc_arg(uc, 0), err;

	if (sig < 1 || sig > SYS_SIGNALS)
		return -EINVAL;
	err = swap_action((int)sig, &act, &old);
	return err ? err : (long)old.handler;
}

/* Its first word, which becomes another one, if that is given. */
KP_TRAP_PATH static long do_setmask(ucontext_t *uc, bool given)
{
	struct kp_user_context *ctx = kp_user_context();
	sys_sigset old = *kp_user_mask_of(uc);

	if (ctx && ctx->trap_blocked)
		old |= TRAP;
	if (ctx && ctx->fault_hidden)
		old |= SEGV;
	if (given)
		kp_user_mask_change(ctx, uc, SIG_SETMASK,
			    sys_set_of((unsigned long)kp_uc_arg(uc, 0)));
	release_held(ctx);
	return (long)sys_first(old);
}

KP_TRAP_PATH static bool oldest_call(ucontext_t *uc)
{
	switch (kp_uc_call(uc)) {
	case SYS_signal:
		kp_uc_call_done(uc, do_signal(uc));
		return true;
	case SYS_sgetmask:
	case SYS_ssetmask:
		kp_uc_call_done(uc, do_setmask(uc, kp_uc_call(uc) == SYS_ssetmask));
		return true;
	}
	return false;
}
#else
KP_TRAP_PATH static bool oldest_call(ucontext_t *uc)
{
	(void)uc;
	return false;
}
#endif

/* ---- what a call is given ------------------------------------------------------------ */

/* Words for a system call to read soon; a few are in use at most. */
KP_TRAP_PATH static sys_sigset *scratch(struct kp_user_context *ctx)
{
	return ctx->masks[ctx->next_mask++ % 16];
}

/* arg points at a set of signals: what points at one without some. */
KP_TRAP_PATH static long edit_set(long arg, sys_sigset without)
{
	struct kp_user_context *ctx = kp_user_context();
	sys_sigset set, *copy;

	if (!ctx || !arg ||
	    kp_host_data_read((uintptr_t)arg, &set, sizeof(set)) ||
	    !sys_any(set & without))
		return arg;
	copy = scratch(ctx);
	*copy = set & ~without;
	return (long)copy;
}

/* A mask for a wait: the handlers that interrupt it run with it, too. */
KP_TRAP_PATH static long edit_mask(long arg)
{
	return edit_set(arg, KP_SIG_HELD);
}

/*
 * A thread that waits for SIGTRAP.  The kernel must not take one from its
 * queue, since only our handler can tell it from a breakpoint's: it waits for
 * the other signals, a SIGTRAP interrupts it, and give() in action.c lets the
 * call return it.  True when one is there already.
 */
KP_TRAP_PATH static bool wait_for_trap(const struct kp_intercept *intercept,
				       ucontext_t *uc, long *result)
{
	struct kp_user_context *ctx = kp_user_context();
	uintptr_t to = (uintptr_t)kp_uc_arg(uc, 1);
	long from = kp_uc_arg(uc, 0);
	sys_sigset set;

	if (!ctx)
		return false;
	ctx->wait_stub = 0;
	if (kp_host_data_read((uintptr_t)from, &set, sizeof(set)) ||
	    !sys_any(set & TRAP))
		return false;
	/* Before the look: pairs with hold() in action.c. */
	__atomic_store_n(&ctx->trap_waiter, true, __ATOMIC_SEQ_CST);
	if (!ctx->trap_held && !kp_user_take_held(&ctx->held)) {
		ctx->wait_stub = intercept->stub;
		kp_uc_set_arg(uc, 0, edit_set(from, TRAP));
		return false;
	}
	ctx->trap_held = false;
	*result = SIGTRAP;
	if (to && kp_host_data_write(to, &ctx->held, sizeof(ctx->held)))
		*result = -EFAULT;
	return true;
}

/* The same where arg points at { mask, its size }. */
KP_TRAP_PATH static long edit_mask_struct(long arg)
{
	struct kp_user_context *ctx = kp_user_context();
	sys_sigset *copy;
	long pair[2], mask;

	if (!ctx || !arg ||
	    kp_host_data_read((uintptr_t)arg, pair, sizeof(pair)))
		return arg;
	mask = edit_mask(pair[0]);
	if (mask == pair[0])
		return arg;
	copy = scratch(ctx);
	pair[0] = mask;
	memcpy(copy, pair, sizeof(pair));
	return (long)copy;
}

/* What io_uring_enter waits with: a mask, or what holds it, a size and more. */
KP_TRAP_PATH static long edit_uring(long flags, long at)
{
	struct kp_user_context *ctx = kp_user_context();
	uint64_t arg[3];
	long mask;
	sys_sigset *copy;

	if (!at || !(flags & URING_EXT_ARG))
		return edit_mask(at);
	if (!ctx || kp_host_data_read((uintptr_t)at, arg, sizeof(arg)))
		return at;
	mask = edit_mask((long)arg[0]);
	if (mask == (long)arg[0])
		return at;
	arg[0] = (unsigned long)mask;
	copy = scratch(ctx);
	memcpy(copy, arg, sizeof(arg));
	return (long)copy;
}

/* For stack.c.  The kernel refuses it on the stack itself, and what is too small. */
KP_TRAP_PATH static void note_alt_stack(ucontext_t *uc)
{
	struct kp_user_context *ctx = kp_user_context();
	uintptr_t from = (uintptr_t)kp_uc_arg(uc, 0);
	stack_t alt;

	if (!ctx || !from || kp_uc_sp(uc) - ctx->alt_sp < ctx->alt_len ||
	    kp_host_data_read(from, &alt, sizeof(alt)))
		return;
	if (alt.ss_flags & SS_DISABLE)
		kp_user_alt_stack(ctx, 0, 0);
	else if (alt.ss_size >= MINSIGSTKSZ_OF_OLD)
		kp_user_alt_stack(ctx, (uintptr_t)alt.ss_sp, alt.ss_size);
}

/*
 * PR_SET_SYSCALL_USER_DISPATCH, on: from then on a system call may come from one
 * stretch of code only, and a breakpoint needs rt_sigreturn from ours.  The answer
 * is that of a kernel that does not have it.
 */
KP_TRAP_PATH static bool turns_dispatch_on(const ucontext_t *uc)
{
	static int said;

	if ((int)kp_uc_arg(uc, 0) != SET_DISPATCH || !kp_uc_arg(uc, 1))
		return false;
	if (!kp_load_relaxed(&said))
		kp_host_log(KP_LOG_WARN, "kprobes: the program may not dispatch its system calls itself (PR_SET_SYSCALL_USER_DISPATCH) while it is probed; it is told that the kernel cannot");
	kp_store_relaxed(&said, 1);
	return true;
}

KP_TRAP_PATH static void edit_arg(ucontext_t *uc, unsigned int n,
				  long (*edit)(long arg))
{
	kp_uc_set_arg(uc, n, edit(kp_uc_arg(uc, n)));
}

/*
 * A hit was interrupted by a signal, and the program makes a call: is it behind the hit by
 * now, or about to jump behind it?
 */
KP_TRAP_PATH static void look_behind(const ucontext_t *uc)
{
	/* Who has none has had no hit. */
	struct kp_user_context *ctx = kp_user_thread()->room.context;

	if (!ctx || !ctx->inside)
		return;
	kp_user_left_for(ctx, kp_uc_sp(uc));
#ifdef KP_KNOWS_JUMPS
	if (ctx->inside && kp_uc_call(uc) == SYS_rt_sigprocmask &&
	    kp_uc_arg(uc, 0) == SIG_SETMASK && kp_uc_arg(uc, 1)) {
		uintptr_t sp = kp_uc_jumps_to((uintptr_t)kp_uc_arg(uc, 1),
					      kp_host_data_read);

#ifdef KP_KNOWS_CONTEXTS
		if (!kp_user_is_threads_stack(sp))
			sp = kp_uc_context_sp(uc, kp_host_data_read);
#endif
		if (kp_user_is_threads_stack(sp))
			kp_user_left_for(ctx, sp);
	}
#endif
}

KP_TRAP_PATH void kp_user_mask_trap(const struct kp_intercept *intercept, ucontext_t *uc)
{
	long result;

	look_behind(uc);
	if (old_call(uc) || oldest_call(uc))
		return;
	switch (kp_uc_call(uc)) {
	case SYS_rt_sigprocmask:
		kp_uc_call_done(uc, kp_uc_arg(uc, 3) != sizeof(sys_sigset) ? -EINVAL :
				    do_sigprocmask(uc, sizeof(sys_sigset)));
		return;
	case SYS_rt_sigaction:
		kp_uc_call_done(uc, do_sigaction(uc));
		return;
	case SYS_sigaltstack:
		note_alt_stack(uc);
		break;
	case SYS_prctl:
		if (turns_dispatch_on(uc)) {
			kp_uc_call_done(uc, -EINVAL);
			return;
		}
		kp_user_filter_note(uc);
		break;
	case SYS_seccomp:
		kp_user_filter_note(uc);
		break;
	case SYS_execve:
	case SYS_execveat:
		kp_uc_call_done(uc, kp_user_exec(uc));
		return;
	case SYS_rt_sigreturn:
		/* Its frame, as the handler left it. */
		kp_user_mask_returned(kp_uc_frame_of(uc));
		break;
	case SYS_rt_sigtimedwait:
		if (wait_for_trap(intercept, uc, &result)) {
			kp_uc_call_done(uc, result);
			return;
		}
		break;
	case SYS_rt_sigsuspend:
		edit_arg(uc, 0, edit_mask);
		break;
	case SYS_ppoll:
		edit_arg(uc, 3, edit_mask);
		break;
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
		edit_arg(uc, 4, edit_mask);
		break;
	case SYS_pselect6:
	case SYS_io_pgetevents:
		edit_arg(uc, 5, edit_mask_struct);
		break;
	case SYS_io_uring_enter:
		kp_uc_set_arg(uc, 4, edit_uring(kp_uc_arg(uc, 3),
						kp_uc_arg(uc, 4)));
		break;
	}
	kp_uc_set_ip(uc, intercept->stub);
}

/* ---- the beginning and the end -------------------------------------------- */

/* What the program had set before we came. */
void kp_user_mask_start(sys_sigset mask)
{
	struct kp_user_context *ctx = kp_user_context();
	sys_sigset trap = TRAP, wanted;
	struct sys_sigaction act, before;
	int sig;

	sys_sigprocmask(SIG_UNBLOCK, &trap, NULL);
	if (ctx)
		ctx->trap_blocked = sys_any(mask & TRAP);
	kp_user_lead_start();
	for (sig = 1; sig <= SYS_SIGNALS; sig++) {
		held_in_mask[sig] = sys_set_of(0);
		if (sys_sigaction(sig, NULL, &act) ||
		    sys_any(SYS_SIG(sig) & KP_SIG_HELD))
			continue;
		before = act;
		wanted = act.mask & KP_SIG_HELD;
		act.mask &= ~KP_SIG_HELD;
		kp_user_lead_return(&act);
		if (!memcmp(&act, &before, sizeof(act)))
			continue;
		if (!sys_sigaction(sig, &act, NULL))
			held_in_mask[sig] = wanted;
	}
}

/* What the program wants of its handlers' masks is again what they have. */
void kp_user_mask_end(void)
{
	struct sys_sigaction act, before;
	int sig;

	for (sig = 1; sig <= SYS_SIGNALS; sig++) {
		if (sys_sigaction(sig, NULL, &act))
			continue;
		before = act;
		act.mask |= held_in_mask[sig];
		kp_user_hide_return(&act);
		if (!memcmp(&act, &before, sizeof(act)))
			continue;
		sys_sigaction(sig, &act, NULL);
		held_in_mask[sig] = sys_set_of(0);
	}
}
