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
#include "user.h"

#define STEP_TRAP 1
#define BREAKPOINT_TRAP 3
#define TRAP_FLAG 0x100
#define ALIGNMENT_FLAG 0x40000

/* In a saved image: what the kernel says about it. */
#define SW_BYTES (512 - sizeof(struct _fpx_sw_bytes))

long kp_user_errno_offset;

KP_TRAP_PATH static void regs_load(struct pt_regs *regs, const ucontext_t *uc)
{
	const greg_t *g = uc->uc_mcontext.gregs;

	regs->r15 = (unsigned long)g[REG_R15];
	regs->r14 = (unsigned long)g[REG_R14];
	regs->r13 = (unsigned long)g[REG_R13];
	regs->r12 = (unsigned long)g[REG_R12];
	regs->bp = (unsigned long)g[REG_RBP];
	regs->bx = (unsigned long)g[REG_RBX];
	regs->r11 = (unsigned long)g[REG_R11];
	regs->r10 = (unsigned long)g[REG_R10];
	regs->r9 = (unsigned long)g[REG_R9];
	regs->r8 = (unsigned long)g[REG_R8];
	regs->ax = (unsigned long)g[REG_RAX];
	regs->cx = (unsigned long)g[REG_RCX];
	regs->dx = (unsigned long)g[REG_RDX];
	regs->si = (unsigned long)g[REG_RSI];
	regs->di = (unsigned long)g[REG_RDI];
	regs->orig_ax = ~0ul;
	regs->ip = (unsigned long)g[REG_RIP];
	regs->flags = (unsigned long)g[REG_EFL];
	regs->sp = (unsigned long)g[REG_RSP];
	regs->cs = (unsigned long)g[REG_CSGSFS] & 0xffff;
	regs->ss = (unsigned long)g[REG_CSGSFS] >> 48;
}

KP_TRAP_PATH static void regs_store(ucontext_t *uc, const struct pt_regs *regs)
{
	greg_t *g = uc->uc_mcontext.gregs;

	g[REG_R15] = (greg_t)regs->r15;
	g[REG_R14] = (greg_t)regs->r14;
	g[REG_R13] = (greg_t)regs->r13;
	g[REG_R12] = (greg_t)regs->r12;
	g[REG_RBP] = (greg_t)regs->bp;
	g[REG_RBX] = (greg_t)regs->bx;
	g[REG_R11] = (greg_t)regs->r11;
	g[REG_R10] = (greg_t)regs->r10;
	g[REG_R9] = (greg_t)regs->r9;
	g[REG_R8] = (greg_t)regs->r8;
	g[REG_RAX] = (greg_t)regs->ax;
	g[REG_RCX] = (greg_t)regs->cx;
	g[REG_RDX] = (greg_t)regs->dx;
	g[REG_RSI] = (greg_t)regs->si;
	g[REG_RDI] = (greg_t)regs->di;
	g[REG_RIP] = (greg_t)regs->ip;
	g[REG_EFL] = (greg_t)regs->flags;
	g[REG_RSP] = (greg_t)regs->sp;
}

/*
 * The kernel leaves AC as the program has it, and with that set each access off
 * its boundary is a fault: neither we nor handlers could copy a thing.  Our
 * return loads it again.  What else is unusual the kernel clears (DF, TF), or it
 * harms nobody here and would not be loaded again (NT, ID).
 */
KP_TRAP_PATH static void allow_unaligned(const ucontext_t *uc)
{
	unsigned long flags;

	if (!(uc->uc_mcontext.gregs[REG_EFL] & ALIGNMENT_FLAG))
		return;
	flags = __builtin_ia32_readeflags_u64();
	__builtin_ia32_writeeflags_u64(flags & ~(unsigned long)ALIGNMENT_FLAG);
}

/* A fault in a handler must reach us even where the program blocked it. */
KP_TRAP_PATH static void open_faults(ucontext_t *uc)
{
	static const sys_sigset faults = KP_SIG_FAULTS;

	if (*kp_user_mask_of(uc) & faults)
		sys_sigprocmask(SIG_UNBLOCK, &faults, NULL);
}

/* One of the host's own breakpoints. */
KP_TRAP_PATH static bool hooked(ucontext_t *uc)
{
	uintptr_t addr = (uintptr_t)uc->uc_mcontext.gregs[REG_RIP] - 1;
	const struct kp_hook *hook = kp_user_hook_find(addr);

	if (!hook)
		return false;
	switch (hook->kind) {
	case KP_HOOK_SYSCALL:
		kp_user_passage(hook, uc);
		break;
	case KP_HOOK_LINKER:
		kp_user_dso_trap(uc);
		break;
	case KP_HOOK_JUMP:		/* half written */
		uc->uc_mcontext.gregs[REG_RIP] = (greg_t)hook->stub;
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
		kp_user_look_behind(ctx, regs->sp);
	outer = ctx->trap;
	ctx->trap.regs = regs;
	ctx->trap.image = uc->uc_mcontext.fpregs;
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
	const struct _fpx_sw_bytes *sw;

	if (!ctx || ctx->trap.regs != regs || !ctx->trap.image)
		return false;
	out->image = ctx->trap.image;
	sw = (const void *)((const char *)out->image + SW_BYTES);
	out->components = sw->magic1 == FP_XSTATE_MAGIC1 ? sw->xstate_bv : 0;
	return true;
}

/* A system call that was led aside is back: what it wrote may have to be told. */
KP_TRAP_PATH static bool passed(ucontext_t *uc, struct pt_regs *regs)
{
	struct kp_user_vectors outer = enter(regs, uc);
	bool ours = kp_user_passed(uc, regs);

	leave(outer);
	return ours;
}

/*
 * executed: the hit is over, and the instruction with it.  Not where execution
 * continues in a slot or tries again.
 */
KP_TRAP_PATH static bool breakpoint(ucontext_t *uc, bool *executed)
{
	struct pt_regs regs;
	struct kp_user_vectors outer;
	uintptr_t addr;
	bool ours;

	if (hooked(uc))
		return true;
	open_faults(uc);
	regs_load(&regs, uc);
	if (__builtin_expect(kp_user_pages_on, 0) && passed(uc, &regs))
		return true;
	addr = regs.ip - 1;
	outer = enter(&regs, uc);
	ours = kp_core_on_trap(&regs);
	leave(outer);
	if (!ours)
		return false;
	*executed = regs.ip != addr && kp_core_original_ip(regs.ip) == regs.ip;
	regs_store(uc, &regs);
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
	info.si_addr = (void *)uc->uc_mcontext.gregs[REG_RIP];
	uc->uc_mcontext.gregs[REG_TRAPNO] = STEP_TRAP;
	kp_user_chain(SIGTRAP, &info, uc);
}

/* The CPU's single-step trap; false: the program is not to see it. */
KP_TRAP_PATH static bool single_step(ucontext_t *uc)
{
	struct pt_regs regs;
	struct kp_user_vectors outer;
	bool shown;

	regs_load(&regs, uc);
	outer = enter(&regs, uc);
	shown = kp_user_page_stepped(uc, &regs) != KP_STEP_DONE &&
		kp_core_on_single_step(&regs);
	leave(outer);
	regs_store(uc, &regs);
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
	regs_load(&regs, a->uc);
	outer = enter(&regs, a->uc);
	kp_core_on_access(&regs, addr);
	leave(outer);
}

/* Inside an instruction there is no other way to be here. */
KP_TRAP_PATH static bool merged(const ucontext_t *uc)
{
	struct pt_regs regs;

	regs_load(&regs, uc);
	return kp_user_hook_find(regs.ip - 1) ||
	       kp_user_passage_ends(regs.ip) ||
	       kp_core_must_have_trapped(&regs);
}

/*
 * raise() and kill() leave an old trap number behind: ask the code.  The kernel
 * says SI_KERNEL, Valgrind, which executes the program itself, TRAP_BRKPT.
 */
KP_TRAP_PATH static bool is_breakpoint(const siginfo_t *info,
				       const ucontext_t *uc)
{
	return (info->si_code == SI_KERNEL || info->si_code == TRAP_BRKPT) &&
	       uc->uc_mcontext.gregs[REG_TRAPNO] == BREAKPOINT_TRAP;
}

KP_TRAP_PATH static void serve_trap(struct kp_arrival *a)
{
	if (is_breakpoint(a->info, a->uc)) {
		a->shown = !breakpoint(a->uc, &a->executed);
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
		else if (kp_user_page_step_over((uintptr_t)a->uc->uc_mcontext.gregs[REG_RIP]))
			single_step(a->uc);
	}
}

KP_TRAP_PATH static void on_trap(int sig, siginfo_t *info, void *context)
{
	struct kp_arrival arrival = { .info = info, .uc = context,
				      .shown = true };
	bool stepping = arrival.uc->uc_mcontext.gregs[REG_EFL] & TRAP_FLAG;
	int saved;

	if (__builtin_expect(info->si_code == KP_SI_PERF, 0) &&
	    kp_user_watch_ignored(info, context))
		return;
	saved = *kp_user_errno();
	allow_unaligned(arrival.uc);
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
	regs_load(&regs, uc);
	outer = enter(&regs, uc);
	step = kp_user_page_fault(info, uc, &regs,
				  kp_host_vectors(&regs, &vectors) ? &vectors : NULL);
	leave(outer);
	if (step == KP_STEP_DONE)
		regs_store(uc, &regs);
	else if (step == KP_STEP_NONE)
		kp_user_page_step_faulted(uc);
	return step != KP_STEP_NONE;
}

KP_TRAP_PATH static bool fault(ucontext_t *uc)
{
	uintptr_t ip = (uintptr_t)uc->uc_mcontext.gregs[REG_RIP];
	struct pt_regs regs;
	bool resolved;

	if (kp_user_copy_fixup(&ip)) {
		uc->uc_mcontext.gregs[REG_RIP] = (greg_t)ip;
		return true;
	}
	regs_load(&regs, uc);
	resolved = kp_core_on_fault(&regs,
				    (int)uc->uc_mcontext.gregs[REG_TRAPNO]);
	/* Also when it is not: attributed to the original instruction. */
	regs_store(uc, &regs);
	return resolved;
}

KP_TRAP_PATH static void serve_fault(struct kp_arrival *a)
{
	a->shown = !(__builtin_expect(kp_user_pages_on, 0) &&
		     stored(a->info, a->uc)) && !fault(a->uc);
}

KP_TRAP_PATH static void on_fault(int sig, siginfo_t *info, void *context)
{
	struct kp_arrival arrival = { .info = info, .uc = context,
				      .shown = true };
	int saved = *kp_user_errno();

	if (kp_user_pages_arrived(info, context))
		return;
	allow_unaligned(context);
	if (info->si_code > 0)
		kp_user_with_room(&arrival, serve_fault);
	if (arrival.shown)
		kp_user_chain(sig, info, context);
	else
		*kp_user_errno() = saved;
}

static void act_for(struct sys_sigaction *act, void (*handler)(int, siginfo_t *, void *))
{
	*act = (struct sys_sigaction){
		.handler = (void *)handler,
		.flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART |
			 SYS_SA_RESTORER,
		.restorer = (void *)kp_user_restorer,
		.mask = ~KP_SIG_OWN,
	};
}

static int install(int sig, void (*handler)(int, siginfo_t *, void *))
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
		kp_user_action_restore(faults[i], (void *)on_fault);
	kp_user_action_restore(SIGTRAP, (void *)on_trap);
}

int kp_user_trap_start(void)
{
	size_t i;
	int err;

	kp_user_errno_offset = (char *)__errno_location() -
		       (char *)__builtin_thread_pointer();
	for (i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		err = install(faults[i], on_fault);
		if (err)
			return err;
	}
	return install(SIGTRAP, on_trap);
}

/* The handler again, where it is gone; what the program wants is known. */
void kp_user_trap_renew(void)
{
	struct sys_sigaction act;

	act_for(&act, on_trap);
	sys_sigaction(SIGTRAP, &act, NULL);
}
