/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * action.c - the program's actions for the signals that we hold.
 *
 * Owns: the program's dispositions of SIGTRAP, SIGSEGV, SIGBUS, SIGFPE and SIGILL, as its
 * sigaction calls (seen by mask.c) set them, and serving them as the kernel would: mask,
 * SA_RESETHAND, the default action with the right registers, a synchronous fault that is
 * ignored.
 *
 * Readers are on the trap path and take no lock: seq is odd while an entry is written.  Writers
 * of one signal exclude each other by it.
 */
#include "signals/action.h"
#include "atomic.h"
#include "host.h"
#include "machine.h"
#include "signal_sets.h"
#include "threads/contexts.h"

#ifndef KP_CALL_PLAIN			/* it has the number, and no more */
#define KP_CALL_PLAIN(handler, sig, uc) ((void (*)(int))(handler))(sig)
#endif

struct entry {
	unsigned int seq;
	struct sys_sigaction act;
};

static struct entry entries[32];

void kp_user_action_init(int sig, const struct sys_sigaction *act)
{
	entries[sig].act = *act;
}

/*
 * Unless another one is there.  The kernel drops SIGTRAP's where a breakpoint is met
 * with that blocked, which can be while breakpoints are taken out.
 */
void kp_user_action_restore(int sig, const void *handler)
{
	struct sys_sigaction now;

	if (!sys_sigaction(sig, NULL, &now) &&
	    (now.handler == handler ||
	     (sig == SIGTRAP && now.handler == (void *)SIG_DFL)))
		sys_sigaction(sig, &entries[sig].act, NULL);
}

KP_TRAP_PATH static struct sys_sigaction read_entry(struct entry *entry)
{
	struct sys_sigaction act;
	unsigned int seq;

	do {
		/* Pairs with the release in write_entry: all of an action, or none. */
		seq = kp_load_acquire(&entry->seq);
		act = *(volatile struct sys_sigaction *)&entry->act;
		/* What was read is older than the number that is looked at again. */
		kp_fence_acquire();
	} while ((seq & 1) || kp_load_relaxed(&entry->seq) != seq);
	return act;
}

KP_TRAP_PATH static void write_entry(struct entry *entry,
				     const struct sys_sigaction *act)
{
	unsigned int seq = kp_load_relaxed(&entry->seq) & ~1u;

	while (!__atomic_compare_exchange_n(&entry->seq, &seq, seq + 1, false,
					    __ATOMIC_ACQUIRE,
					    __ATOMIC_RELAXED))
		seq &= ~1u;
	/* No part of the new one under an even number: pairs with read_entry's fence. */
	kp_fence_release();
	entry->act = *act;
	/* Release: pairs with read_entry's first look. */
	kp_store_release(&entry->seq, seq + 2);
}

/* The program's sigaction(sig, act, old); either may be NULL. */
KP_TRAP_PATH void kp_user_action_swap(int sig, const struct sys_sigaction *act,
				      struct sys_sigaction *old)
{
	if (old)
		*old = read_entry(&entries[sig]);
	if (act)
		write_entry(&entries[sig], act);
}

/* The same signal again, with what it came with. */
KP_TRAP_PATH void kp_user_send_self(int sig, siginfo_t *info)
{
	sys4(SYS_rt_tgsigqueueinfo, sys_getpid(), sys_gettid(), sig, info);
}

/*
 * Die as without us: the signal is queued while it is blocked here, and the
 * return from this handler restores the registers and opens it.
 */
KP_TRAP_PATH static void default_action(int sig, siginfo_t *info,
					ucontext_t *uc)
{
	struct sys_sigaction act = { .handler = (void *)SIG_DFL };
	sys_sigset set = SYS_SIG(sig);

	sys_sigprocmask(SIG_BLOCK, &set, NULL);
	sys_sigaction(sig, &act, NULL);
	kp_user_send_self(sig, info);
	*kp_user_mask_of(uc) &= ~set;
}

KP_TRAP_PATH static void call_program(int sig, siginfo_t *info, ucontext_t *uc,
				      const struct sys_sigaction *act)
{
	sys_sigset mask = *kp_user_mask_of(uc) | act->mask, opens;
	struct kp_user_context *ctx = kp_user_context();

	if (!(act->flags & SA_NODEFER))
		mask |= SYS_SIG(sig);
	mask &= ~SYS_SIG(SIGTRAP);
	if (act->flags & SA_RESETHAND) {
		struct sys_sigaction reset = { .handler = (void *)SIG_DFL };

		write_entry(&entries[sig], &reset);
	}
	if (ctx)
		ctx->faults_blocked = sys_any(mask & KP_SIG_FAULTS);
	sys_sigprocmask(SIG_SETMASK, &mask, NULL);
	if (act->flags & SA_SIGINFO)
		((void (*)(int, siginfo_t *, void *))act->handler)(sig, info,
								   uc);
	else
		KP_CALL_PLAIN(act->handler, sig, uc);
	/* As the return will have it, before hits believe that. */
	opens = KP_SIG_FAULTS & ~*kp_user_mask_of(uc);
	sys_sigprocmask(SIG_UNBLOCK, &opens, NULL);
	if (ctx)
		ctx->faults_blocked = sys_any(*kp_user_mask_of(uc) & KP_SIG_FAULTS);
}

/* A thread that waits for SIGTRAP, other than the caller; or NULL. */
KP_TRAP_PATH static struct kp_user_context *
find_waiter(const struct kp_user_context *self)
{
	struct kp_user_context *ctx = NULL;

	while ((ctx = kp_user_context_next(ctx)))
		if (ctx != self && kp_load_relaxed(&ctx->owner) &&
		    /* After process_full was set: pairs with wait_for_trap in mask.c. */
		    __atomic_load_n(&ctx->trap_waiter, __ATOMIC_SEQ_CST))
			return ctx;
	return NULL;
}

/*
 * One that was sent to the whole process and that nobody takes now.
 * full: 0 empty, 1 being written or read, 2 full.
 */
static int process_full;
static siginfo_t process_info;

KP_TRAP_PATH bool kp_user_take_held(siginfo_t *out)
{
	int full = 2;

	/* After trap_waiter was set: pairs with keep_for_process, and with hold(). */
	if (!__atomic_compare_exchange_n(&process_full, &full, 1, false,
					 __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		return false;
	*out = process_info;
	/* It was read, before it is written again: pairs with keep_for_process. */
	kp_store_release(&process_full, 0);
	return true;
}

KP_TRAP_PATH static void keep_for_process(const siginfo_t *info)
{
	int empty = 0;

	/* A second one before the first is taken is lost, as in the kernel. */
	if (!__atomic_compare_exchange_n(&process_full, &empty, 1, false,
					 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	process_info = *info;
	/* Before find_waiter() looks; who waits looks the other way round: one of them sees. */
	__atomic_store_n(&process_full, 2, __ATOMIC_SEQ_CST);
}

/* The wait that the signal interrupted returns it; else it is kept. */
KP_TRAP_PATH static void give(struct kp_user_context *ctx, ucontext_t *uc,
			      const siginfo_t *info)
{
	uintptr_t at;

	if (!ctx->wait_stub || kp_uc_result(uc) != -EINTR ||
	    kp_uc_ip(uc) != kp_uc_behind_call(uc, ctx->wait_stub)) {
		ctx->held = *info;
		ctx->trap_held = true;
		return;
	}
	kp_uc_set_result(uc, SIGTRAP);
	at = (uintptr_t)kp_uc_arg(uc, 1);
	if (at && kp_host_data_write(at, info, sizeof(*info)))
		kp_uc_set_result(uc, -EFAULT);
}

/* Look again: sent with this value, which no program knows. */
KP_TRAP_PATH static void poke(struct kp_user_context *waiter)
{
	siginfo_t info;

	memset(&info, 0, sizeof(info));
	info.si_signo = SIGTRAP;
	info.si_code = SI_QUEUE;
	info.si_value.sival_ptr = &process_full;
	sys4(SYS_rt_tgsigqueueinfo, sys_getpid(), waiter->owner, SIGTRAP,
	     &info);
}

KP_TRAP_PATH static bool is_poke(const siginfo_t *info)
{
	return info->si_code == SI_QUEUE &&
	       info->si_value.sival_ptr == &process_full;
}

/*
 * A SIGTRAP that the program has blocked waits until it unblocks it, or until
 * it waits for it; one sent to the whole process, in any thread that does.
 * A poke may be merged into a breakpoint that its thread hits at the same
 * time; then that thread is not waiting, and looks when it does.
 * True: nothing more to do; else *info is to be delivered.
 */
KP_TRAP_PATH static bool hold(siginfo_t *info, ucontext_t *uc)
{
	struct kp_user_context *ctx = kp_user_context(), *waiter;
	bool poked = is_poke(info);

	if (poked && !kp_user_take_held(info))
		return true;
	if (!ctx || !ctx->trap_blocked)
		return false;
	if (poked || info->si_code == SI_TKILL || ctx->trap_waiter) {
		give(ctx, uc, info);
		return true;
	}
	keep_for_process(info);
	/* A waiter marks itself before it looks: one of the two sees. */
	waiter = find_waiter(ctx);
	if (waiter)
		poke(waiter);
	return true;
}

/* Not ours: what would have happened without us. */
KP_TRAP_PATH void kp_user_chain(int sig, siginfo_t *info, ucontext_t *uc)
{
	bool sync = info->si_code > 0;
	struct sys_sigaction act = read_entry(&entries[sig]);

	if (sig == SIGTRAP && !sync && hold(info, uc))
		return;
	if (act.handler == (void *)SIG_IGN && !sync)
		return;
	if (act.handler == (void *)SIG_DFL || act.handler == (void *)SIG_IGN)
		default_action(sig, info, uc);
	else
		call_program(sig, info, uc, &act);
}
