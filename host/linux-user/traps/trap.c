/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * trap.c - from a signal to the core.
 *
 * Owns: the handlers of SIGTRAP and of the four fault signals.  They are
 * installed for the life of the process; what the program installs for these
 * signals is kept by action.c and served from here.
 *
 * The handlers run with every asynchronous signal blocked, so a probe's
 * handler is never interrupted by the program's; the five themselves stay
 * open, since a handler may hit a probe or fault.  So does SIGSYS, with which
 * the program may serve system calls that its seccomp filter traps.
 *
 * Everything here is trap path: no lock, no allocation, no C library, errno
 * as it was.
 */
#include "traps/trap.h"
#include "host.h"
#include "machine.h"
#include "signal_sets.h"
#include "thread.h"
#include "upcall.h"
#include "freestanding/copy.h"
#include "process/ids.h"
#include "threads/contexts.h"
#include "threads/lock.h"
#include "threads/stack.h"
#include "text/intercept.h"
#include "objects/dso.h"
#include "signals/action.h"
#include "signals/mask_wanted.h"
#include "watch/debugreg.h"
#include "watch/disturbed.h"
#include "watch/page_store.h"
#include "watch/passage.h"

/* A fault in a handler must reach us even where the program blocked it. */
KP_TRAP_PATH static void open_faults(ucontext_t *uc)
{
	const sys_sigset faults = KP_SIG_FAULTS;

	if (sys_any(*kp_user_mask_of(uc) & faults))
		sys_sigprocmask(SIG_UNBLOCK, &faults, NULL);
}

/* One of the host's own breakpoints. */
KP_TRAP_PATH static bool intercepted(ucontext_t *uc)
{
	const struct kp_intercept *intercept = kp_user_intercept_find(kp_uc_trap_addr(uc));

	if (!intercept)
		return false;
	switch (intercept->kind) {
	case KP_INTERCEPT_SYSCALL:
		kp_user_passage(intercept, uc);
		break;
	case KP_INTERCEPT_LINKER:
		kp_user_dso_trap(uc);
		break;
	case KP_INTERCEPT_JUMP:		/* half written */
	case KP_INTERCEPT_BACK:
		kp_uc_set_ip(uc, intercept->stub);
		break;
	}
	return true;
}

/* Where the vector registers of the innermost trap are; returns the outer's. */
KP_TRAP_PATH static struct kp_user_vectors enter(const struct pt_regs *regs,
						 const ucontext_t *uc)
{
	struct kp_user_context *ctx = kp_user_context();
	struct kp_user_vectors outer = { NULL, NULL };

	if (!ctx)
		return outer;
	if (ctx->inside)
		kp_user_look_behind(ctx, kp_uc_sp(uc));
	outer = ctx->trap;
	ctx->trap.regs = regs;
	ctx->trap.image = kp_uc_image(uc);
	return outer;
}

KP_TRAP_PATH static void leave(struct kp_user_vectors outer)
{
	struct kp_user_context *ctx = kp_user_context();

	if (ctx)
		ctx->trap = outer;
}

bool kp_host_vectors_live(void)
{
	return true;
}

KP_TRAP_PATH bool kp_host_vectors(const struct pt_regs *regs,
				  struct kp_arch_vectors *out)
{
	struct kp_user_context *ctx = kp_user_context();

	if (!ctx || ctx->trap.regs != regs || !ctx->trap.image)
		return false;
	kp_uc_vectors(out, ctx->trap.image);
	return true;
}

/*
 * A system call that was led aside is back, or an instruction executed by itself: what it
 * wrote may have to be told.
 */
KP_TRAP_PATH static bool passed(ucontext_t *uc, struct pt_regs *regs)
{
	struct kp_user_vectors outer = enter(regs, uc);
	bool ours = kp_user_passed(uc, regs) || kp_user_page_trapped(uc, regs);

	leave(outer);
	return ours;
}

/*
 * A trap has shown that a uprobe of the kernel's stands on a jump of ours.  Before it goes,
 * the jump has to; nobody else may be there to see to it.  The thread comes from the
 * program's own code, and no handler of ours runs in it.
 */
KP_TRAP_PATH static void see_to_jumps(void)
{
	struct kp_user_context *ctx = kp_user_context();

	if (!kp_core_disturbed() || !ctx || ctx->core.site || kp_user_filtered() ||
	    !kp_user_trylock(KP_LOCK_REGISTRY))
		return;
	kp_core_look_locked();
	kp_user_unlock(KP_LOCK_REGISTRY);
}

/*
 * executed: the hit is over, and the instruction with it.  Not where execution
 * continues in a slot or tries again.
 */
KP_TRAP_PATH static bool breakpoint(ucontext_t *uc, bool *executed)
{
	struct pt_regs regs;
	struct kp_user_vectors outer;
	uintptr_t addr, ip;
	bool ours;

	if (intercepted(uc))
		return true;
	open_faults(uc);
	kp_uc_load(&regs, uc);
	if (kp_uc_resume(&regs)) {
		kp_uc_store(uc, &regs);
		return true;
	}
	if (__builtin_expect(kp_user_pages_on, 0) && passed(uc, &regs))
		return true;
	addr = kp_uc_trap_addr(uc);
	outer = enter(&regs, uc);
	ours = kp_core_on_trap(&regs);
	leave(outer);
	if (!ours)
		return false;
	see_to_jumps();
	ip = instruction_pointer(&regs);
	*executed = ip != addr && kp_core_original_ip(ip) == ip;
	kp_uc_store(uc, &regs);
	return true;
}

/*
 * The program single-steps itself, and a hit has executed an instruction for
 * it: say so, as the CPU would have (K-XI-48).
 */
KP_TRAP_PATH static void report_step(ucontext_t *uc)
{
	siginfo_t info;

	memset(&info, 0, sizeof(info));
	info.si_signo = SIGTRAP;
	info.si_code = TRAP_TRACE;
	info.si_addr = (void *)kp_uc_ip(uc);
	kp_uc_say_step(uc);
	kp_user_chain(SIGTRAP, &info, uc);
}

/* The CPU's single-step trap; false: the program is not to see it. */
KP_TRAP_PATH static bool single_step(ucontext_t *uc)
{
	struct pt_regs regs;
	struct kp_user_vectors outer;
	bool shown;

	kp_uc_load(&regs, uc);
	outer = enter(&regs, uc);
	shown = kp_user_page_stepped(uc, &regs) != KP_STEP_DONE &&
		kp_core_on_single_step(&regs);
	leave(outer);
	kp_uc_store(uc, &regs);
	return shown;
}

/* A debug register's. */
KP_TRAP_PATH static void watched(const struct kp_arrival *a)
{
	struct pt_regs regs;
	struct kp_user_vectors outer;
	bool late;
	uintptr_t addr = kp_user_watch_addr(a->info, &late);

	if (late) {
		kp_core_on_late_access(addr);
		return;
	}
	open_faults(a->uc);
	kp_uc_load(&regs, a->uc);
	outer = enter(&regs, a->uc);
	kp_core_on_access(&regs, addr);
	leave(outer);
}

/* Inside an instruction there is no other way to be here. */
KP_TRAP_PATH static bool merged(const ucontext_t *uc)
{
	struct pt_regs regs;

	kp_uc_load(&regs, uc);
	return kp_user_intercept_find(kp_uc_trap_addr(uc)) ||
	       kp_user_passage_ends(kp_uc_trap_addr(uc)) ||
	       kp_core_must_have_trapped(&regs);
}

#ifdef KP_TRAP_PASSES		/* the PC is behind a breakpoint that has trapped */
/*
 * A command that held the thread has taken the hit back, by setting the PC to the
 * instruction, and was killed before it could drop the signal.  The instruction is
 * executed again.  A breakpoint of the program's own stands before the PC.
 */
KP_TRAP_PATH static bool was_taken_back(const ucontext_t *uc)
{
	static const uint8_t long_form[] = { 0xcd, 3 };
	uintptr_t ip = kp_uc_ip(uc);
	uint8_t before[2];

	return !kp_user_copy(before, (const void *)(ip - sizeof(before)), sizeof(before)) &&
	       before[1] != kp_arch_bp[0] && memcmp(before, long_form, sizeof(before)) &&
	       (kp_user_intercept_find(ip) || kp_core_is_site(ip));
}
#else
#define was_taken_back(uc) false
#endif

KP_TRAP_PATH static void serve_trap(struct kp_arrival *a)
{
	if (kp_uc_is_breakpoint(a->info, a->uc)) {
		a->shown = !breakpoint(a->uc, &a->executed) && !was_taken_back(a->uc);
	} else if (a->info->si_code == TRAP_TRACE) {
		a->shown = single_step(a->uc);
	} else if (kp_user_watch_own(a->info)) {
		watched(a);
		a->shown = false;
	} else {
		/*
		 * A breakpoint, or a step, merges into a foreign SIGTRAP that is
		 * queued for the thread already.  Serve it, then pass the other on.
		 */
		if (merged(a->uc))
			breakpoint(a->uc, &a->executed);
		else if (kp_user_page_step_over(kp_uc_ip(a->uc)))
			single_step(a->uc);
	}
}

KP_TRAP_PATH void kp_user_on_trap(int sig, siginfo_t *info, void *context)
{
	struct kp_arrival arrival = { .info = info, .uc = context,
				      .shown = true };
	bool stepping = kp_uc_stepping(arrival.uc);
	int saved;

	if (__builtin_expect(info->si_code == KP_SI_PERF, 0) &&
	    kp_user_watch_ignored(info, context))
		return;
	saved = *kp_user_errno();
	kp_uc_settle(arrival.uc);
	if (__builtin_expect(kp_user_room_known(arrival.uc), 1))
		serve_trap(&arrival);
	else
		kp_user_with_room(&arrival, serve_trap);
	*kp_user_errno() = saved;
	if (arrival.shown)
		kp_user_chain(sig, info, arrival.uc);
	else if (stepping && arrival.executed)
		report_step(arrival.uc);
}

/* A write to a protected page. */
KP_TRAP_PATH static bool stored(const siginfo_t *info, ucontext_t *uc)
{
	struct pt_regs regs;
	struct kp_user_vectors outer;
	struct kp_arch_vectors vectors;
	enum kp_step step;

	open_faults(uc);
	kp_uc_load(&regs, uc);
	outer = enter(&regs, uc);
	step = kp_user_page_fault(info, uc, &regs,
				  kp_host_vectors(&regs, &vectors) ? &vectors : NULL);
	leave(outer);
	if (step == KP_STEP_DONE)
		kp_uc_store(uc, &regs);
	else if (step == KP_STEP_NONE)
		kp_user_page_step_faulted(uc);
	return step != KP_STEP_NONE;
}

KP_TRAP_PATH static bool fault(const siginfo_t *info, ucontext_t *uc)
{
	uintptr_t ip = kp_uc_ip(uc);
	struct pt_regs regs;
	bool resolved;

	if (kp_user_copy_fixup(&ip)) {
		kp_uc_set_ip(uc, ip);
		return true;
	}
	kp_uc_load(&regs, uc);
	resolved = kp_core_on_fault(&regs, kp_uc_trapnr(info, uc));
	/* Also when it is not: attributed to the original instruction. */
	kp_uc_store(uc, &regs);
	see_to_jumps();
	return resolved;
}

/*
 * Tried again, but not for ever: what was probed there may be an instruction that this
 * processor does not have.
 */
#define AGAIN_MAX 1000u

KP_TRAP_PATH static bool was_breakpoint(struct kp_arrival *a)
{
	struct kp_user_context *ctx = kp_user_context();
	uintptr_t addr = kp_uc_ip(a->uc);

	if (!ctx || !kp_uc_undecided(a->info, a->uc))
		return false;
	if (ctx->again_at != addr)
		ctx->again = 0;
	ctx->again_at = addr;
	if (ctx->again++ < AGAIN_MAX && breakpoint(a->uc, &a->executed))
		return true;
	ctx->again_at = 0;
	return false;
}

#ifdef KP_TRAP_PASSES		/* the PC is behind a breakpoint that has trapped */
/*
 * A debugger has taken a breakpoint's signal for his own, and let the thread go on: behind
 * the breakpoint, in the midst of an instruction.  Where that faults at once, it is the hit.
 */
KP_TRAP_PATH static bool was_taken(struct kp_arrival *a)
{
	struct pt_regs regs;

	kp_uc_load(&regs, a->uc);
	return kp_core_must_have_trapped(&regs) && breakpoint(a->uc, &a->executed);
}
#else
#define was_taken(a) false
#endif

KP_TRAP_PATH static void serve_fault(struct kp_arrival *a)
{
	a->shown = !was_breakpoint(a) && !was_taken(a) && !(__builtin_expect(kp_user_pages_on, 0) &&
		     stored(a->info, a->uc)) && !fault(a->info, a->uc);
}

/* The question who executes has faulted, for a thread pointer that leads nowhere. */
KP_TRAP_PATH static bool asked_in_vain(ucontext_t *uc)
{
	uintptr_t ip = kp_uc_ip(uc);

	if (!kp_user_thread_fixup(&ip))
		return false;
	kp_uc_set_ip(uc, ip);
	return true;
}

KP_TRAP_PATH void kp_user_on_fault(int sig, siginfo_t *info, void *context)
{
	struct kp_arrival arrival = { .info = info, .uc = context,
				      .shown = true };
	int saved;

	if (asked_in_vain(context))
		return;
	saved = *kp_user_errno();
	if (kp_user_pages_arrived(info, context))
		return;
	kp_uc_settle(context);
	if (info->si_code > 0)
		kp_user_with_room(&arrival, serve_fault);
	if (arrival.shown)
		kp_user_chain(sig, info, context);
	else
		*kp_user_errno() = saved;
}

static void act_for(struct sys_sigaction *act, void *handler)
{
	*act = (struct sys_sigaction){
		.handler = handler,
		.flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART,
		.mask = ~KP_SIG_OWN,
	};
	kp_sig_returns(act);
}

static int install(int sig, void *handler)
{
	struct sys_sigaction act, old;
	long err = sys_sigaction(sig, NULL, &old);

	if (err)
		return (int)err;
	act_for(&act, handler);
	if (old.handler != act.handler)
		kp_user_action_init(sig, &old);
	return (int)sys_sigaction(sig, &act, NULL);
}

static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL };

void kp_user_trap_end(void)
{
	size_t i;

	for (i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		kp_user_action_restore(faults[i], KP_SIGNAL_ENTRY(fault));
	kp_user_action_restore(SIGTRAP, KP_SIGNAL_ENTRY(trap));
}

int kp_user_trap_start(void)
{
	size_t i;
	int err;

	for (i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		err = install(faults[i], KP_SIGNAL_ENTRY(fault));
		if (err)
			return err;
	}
	return install(SIGTRAP, KP_SIGNAL_ENTRY(trap));
}

/* The handler again, where it is gone; what the program wants is known. */
void kp_user_trap_renew(void)
{
	struct sys_sigaction act;

	act_for(&act, KP_SIGNAL_ENTRY(trap));
	sys_sigaction(SIGTRAP, &act, NULL);
}
