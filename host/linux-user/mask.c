/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * mask.c - SIGTRAP stays open, whatever the program does to its masks.
 *
 * A breakpoint that is hit while SIGTRAP is blocked kills the process, and the
 * C library blocks all signals in many places of its own (pthread_create,
 * posix_spawn, abort, …), with system calls that are compiled into it and pass
 * through no function that could be replaced.  So each of those `syscall`
 * instructions gets a breakpoint of the host's own (calls.c), and here the call
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
#include "user.h"

#define TRAP SYS_SIG(SIGTRAP)
#define SEGV SYS_SIG(SIGSEGV)		/* how writes to protected pages are noticed */
#define MINSIGSTKSZ_OF_OLD 2048		/* the kernel's least */
#define SET_DISPATCH 59			/* PR_SET_SYSCALL_USER_DISPATCH */
#define URING_EXT_ARG 8			/* IORING_ENTER_EXT_ARG */

/* access.S knows them. */
_Static_assert(offsetof(ucontext_t, uc_sigmask) == 296, "UC_MASK");
_Static_assert(KP_SIG_HELD == 0x4d8, "HELD");

#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif

/* What each signal's handler was to run with blocked, of those that we hold. */
static sys_sigset held_in_mask[65];

/* ---- the system calls ---------------------------------------------------- */

/* What no mask may hold. */
KP_TRAP_PATH static sys_sigset never_blocked(void)
{
	return kp_user_pages_on ? TRAP | SEGV : TRAP;
}

KP_TRAP_PATH static long change_mask(struct kp_user_context *ctx,
				     ucontext_t *uc, long how, sys_sigset set)
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
	ctx->fault_hidden = kp_user_pages_on && (next & SEGV);
	ctx->trap_blocked = next & TRAP;
	ctx->faults_blocked = next & KP_SIG_FAULTS;
	return 0;
}

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

KP_TRAP_PATH static long do_sigprocmask(ucontext_t *uc)
{
	const greg_t *g = uc->uc_mcontext.gregs;
	struct kp_user_context *ctx = kp_user_context();
	sys_sigset old = *kp_user_mask_of(uc), set;
	long err = 0;

	if (g[REG_R10] != sizeof(sys_sigset))
		return -EINVAL;
	if (ctx && ctx->trap_blocked)
		old |= TRAP;
	if (ctx && ctx->fault_hidden)
		old |= SEGV;
	if (g[REG_RSI]) {
		if (kp_host_data_read((uintptr_t)g[REG_RSI], &set, sizeof(set)))
			return -EFAULT;
		err = change_mask(ctx, uc, (int)g[REG_RDI], set);
	}
	if (!err && g[REG_RDX])
		err = kp_host_data_write((uintptr_t)g[REG_RDX], &old,
					 sizeof(old));
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
	sys_sigset wanted = act ? act->mask & KP_SIG_HELD : 0;
	long err;

	if (act)
		act->mask &= ~KP_SIG_HELD;
	err = sys_sigaction(sig, act, old);
	if (err)
		return err;
	old->mask |= held_in_mask[sig];
	if (act && !kp_user_in_vfork_child())
		held_in_mask[sig] = wanted;
	return 0;
}

KP_TRAP_PATH static long do_sigaction(ucontext_t *uc)
{
	const greg_t *g = uc->uc_mcontext.gregs;
	long sig = (int)g[REG_RDI], err;
	struct sys_sigaction act, old, *new = NULL;

	if (g[REG_R10] != sizeof(sys_sigset) || sig < 1 || sig > 64)
		return -EINVAL;
	if (g[REG_RSI]) {
		if (kp_host_data_read((uintptr_t)g[REG_RSI], &act, sizeof(act)))
			return -EFAULT;
		new = &act;
	}
	if (SYS_SIG(sig) & KP_SIG_HELD)
		err = swap_held((int)sig, new, &old);
	else
		err = swap_passed((int)sig, new, &old);
	if (!err && g[REG_RDX])
		err = kp_host_data_write((uintptr_t)g[REG_RDX], &old,
					 sizeof(old));
	return err;
}

/* Words for a system call to read soon; a few are in use at most. */
KP_TRAP_PATH static sys_sigset *scratch(struct kp_user_context *ctx)
{
	return ctx->masks[ctx->next_mask++ % 16];
}

/* *arg points at a set of signals: let it point at one without some. */
KP_TRAP_PATH static void edit_set(greg_t *arg, sys_sigset without)
{
	struct kp_user_context *ctx = kp_user_context();
	sys_sigset set, *copy;

	if (!ctx || !*arg ||
	    kp_host_data_read((uintptr_t)*arg, &set, sizeof(set)) ||
	    !(set & without))
		return;
	copy = scratch(ctx);
	*copy = set & ~without;
	*arg = (greg_t)copy;
}

/* A mask for a wait: the handlers that interrupt it run with it, too. */
KP_TRAP_PATH static void edit_mask(greg_t *arg)
{
	edit_set(arg, KP_SIG_HELD);
}

/*
 * A thread that waits for SIGTRAP.  The kernel must not take one from its
 * queue, since only our handler can tell it from a breakpoint's: it waits for
 * the other signals, a SIGTRAP interrupts it, and give() in action.c lets the
 * call return it.  True when one is there already.
 */
KP_TRAP_PATH static bool wait_for_trap(const struct kp_hook *hook,
				       ucontext_t *uc, long *result)
{
	greg_t *g = uc->uc_mcontext.gregs;
	struct kp_user_context *ctx = kp_user_context();
	sys_sigset set;

	if (!ctx)
		return false;
	ctx->wait_stub = 0;
	if (kp_host_data_read((uintptr_t)g[REG_RDI], &set, sizeof(set)) ||
	    !(set & TRAP))
		return false;
	/* Before the look: pairs with hold() in action.c. */
	__atomic_store_n(&ctx->trap_waiter, true, __ATOMIC_SEQ_CST);
	if (!ctx->trap_held && !kp_user_take_held(&ctx->held)) {
		ctx->wait_stub = hook->stub;
		edit_set(&g[REG_RDI], TRAP);
		return false;
	}
	ctx->trap_held = false;
	*result = SIGTRAP;
	if (g[REG_RSI] && kp_host_data_write((uintptr_t)g[REG_RSI], &ctx->held,
					     sizeof(ctx->held)))
		*result = -EFAULT;
	return true;
}

/* *arg points at { mask, its size }. */
KP_TRAP_PATH static void edit_mask_struct(greg_t *arg)
{
	struct kp_user_context *ctx = kp_user_context();
	sys_sigset *copy;
	greg_t pair[2], mask;

	if (!ctx || !*arg ||
	    kp_host_data_read((uintptr_t)*arg, pair, sizeof(pair)))
		return;
	mask = pair[0];
	edit_mask(&mask);
	if (mask == pair[0])
		return;
	copy = scratch(ctx);
	copy[0] = (sys_sigset)mask;
	copy[1] = (sys_sigset)pair[1];
	*arg = (greg_t)copy;
}

/* What io_uring_enter waits with: a mask, or what holds it, a size and more. */
KP_TRAP_PATH static void edit_uring(greg_t *g)
{
	struct kp_user_context *ctx = kp_user_context();
	greg_t arg[3], mask;
	sys_sigset *copy;

	if (!(g[REG_R10] & URING_EXT_ARG)) {
		edit_mask(&g[REG_R8]);
		return;
	}
	if (!ctx || kp_host_data_read((uintptr_t)g[REG_R8], arg, sizeof(arg)))
		return;
	mask = arg[0];
	edit_mask(&mask);
	if (mask == arg[0])
		return;
	arg[0] = mask;
	copy = scratch(ctx);
	memcpy(copy, arg, sizeof(arg));
	g[REG_R8] = (greg_t)copy;
}

/*
 * A signal's handler of the program is about to return, to a mask that it may
 * have changed: the kernel's word for "blocked" is the handler's own.
 */
KP_TRAP_PATH void kp_user_mask_returned(ucontext_t *uc)
{
	struct kp_user_context *ctx = kp_user_context();
	sys_sigset *mask = kp_user_mask_of(uc);

	if (ctx && (*mask & TRAP))
		ctx->trap_blocked = true;
	if (ctx && (*mask & KP_SIG_FAULTS))
		ctx->faults_blocked = true;
	if (ctx && kp_user_pages_on && (*mask & SEGV))
		ctx->fault_hidden = true;
	*mask &= ~never_blocked();
}

/* For stack.c.  The kernel refuses it on the stack itself, and what is too small. */
KP_TRAP_PATH static void note_alt_stack(ucontext_t *uc)
{
	const greg_t *g = uc->uc_mcontext.gregs;
	struct kp_user_context *ctx = kp_user_context();
	stack_t alt;

	if (!ctx || !g[REG_RDI] ||
	    (uintptr_t)g[REG_RSP] - ctx->alt_sp < ctx->alt_len ||
	    kp_host_data_read((uintptr_t)g[REG_RDI], &alt, sizeof(alt)))
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
KP_TRAP_PATH static bool turns_dispatch_on(const greg_t *g)
{
	static int said;

	if ((int)g[REG_RDI] != SET_DISPATCH || !g[REG_RSI])
		return false;
	if (!kp_load_relaxed(&said))
		kp_host_log(KP_LOG_WARN, "kprobes: the program may not dispatch its system calls itself (PR_SET_SYSCALL_USER_DISPATCH) while it is probed; it is told that the kernel cannot");
	kp_store_relaxed(&said, 1);
	return true;
}

KP_TRAP_PATH void kp_user_call_done(ucontext_t *uc, long result)
{
	greg_t *g = uc->uc_mcontext.gregs;

	g[REG_RAX] = result;
	g[REG_RIP] += 1;		/* from behind the int3: two bytes */
	g[REG_RCX] = g[REG_RIP];
	g[REG_R11] = g[REG_EFL];
}

KP_TRAP_PATH void kp_user_mask_trap(const struct kp_hook *hook, ucontext_t *uc)
{
	greg_t *g = uc->uc_mcontext.gregs;
	long result;

	switch (g[REG_RAX]) {
	case SYS_rt_sigprocmask:
		kp_user_call_done(uc, do_sigprocmask(uc));
		return;
	case SYS_rt_sigaction:
		kp_user_call_done(uc, do_sigaction(uc));
		return;
	case SYS_sigaltstack:
		note_alt_stack(uc);
		break;
	case SYS_prctl:
		if (turns_dispatch_on(g)) {
			kp_user_call_done(uc, -EINVAL);
			return;
		}
		kp_user_filter_note(uc);
		break;
	case SYS_seccomp:
		kp_user_filter_note(uc);
		break;
	case SYS_execve:
	case SYS_execveat:
		kp_user_call_done(uc, kp_user_exec(uc));
		return;
	case SYS_rt_sigreturn:
		/* Its frame, as the handler left it. */
		kp_user_mask_returned((ucontext_t *)g[REG_RSP]);
		break;
	case SYS_rt_sigtimedwait:
		if (wait_for_trap(hook, uc, &result)) {
			kp_user_call_done(uc, result);
			return;
		}
		break;
	case SYS_rt_sigsuspend:
		edit_mask(&g[REG_RDI]);
		break;
	case SYS_ppoll:
		edit_mask(&g[REG_R10]);
		break;
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
		edit_mask(&g[REG_R8]);
		break;
	case SYS_pselect6:
	case SYS_io_pgetevents:
		edit_mask_struct(&g[REG_R9]);
		break;
	case SYS_io_uring_enter:
		if (g[REG_R8])
			edit_uring(g);
		break;
	}
	g[REG_RIP] = (greg_t)hook->stub;
}

/* ---- the beginning and the end -------------------------------------------- */

/* What the program had set before we came. */
void kp_user_mask_start(sys_sigset mask)
{
	struct kp_user_context *ctx = kp_user_context();
	sys_sigset trap = TRAP, wanted;
	struct sys_sigaction act;
	int sig;

	sys_sigprocmask(SIG_UNBLOCK, &trap, NULL);
	if (ctx)
		ctx->trap_blocked = mask & TRAP;
	for (sig = 1; sig <= 64; sig++) {
		held_in_mask[sig] = 0;
		if (sys_sigaction(sig, NULL, &act) ||
		    !(act.mask & KP_SIG_HELD) || (SYS_SIG(sig) & KP_SIG_HELD))
			continue;
		wanted = act.mask & KP_SIG_HELD;
		act.mask &= ~KP_SIG_HELD;
		if (!sys_sigaction(sig, &act, NULL))
			held_in_mask[sig] = wanted;
	}
}

/* What the program wants of its handlers' masks is again what they have. */
void kp_user_mask_end(void)
{
	struct sys_sigaction act;
	int sig;

	for (sig = 1; sig <= 64; sig++) {
		if (!held_in_mask[sig] || sys_sigaction(sig, NULL, &act))
			continue;
		act.mask |= held_in_mask[sig];
		sys_sigaction(sig, &act, NULL);
		held_in_mask[sig] = 0;
	}
}
