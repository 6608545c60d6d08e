// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * ftrace.c - the sites that ftrace owns, at traced functions' entries.
 *
 * Owns: two ftrace_ops.  The first serves most probes; the second has
 * FTRACE_OPS_FL_IPMODIFY, which ftrace gives to one user a function, and serves
 * probes that say that they may redirect it.  ftrace writes the text, with
 * whatever tracers and other users want at the same place.
 *
 * An ops without a filter would trace everything, so each has one function of
 * our own in its filter for good (anchor.c), and stays registered for a while
 * after its last site is gone: registering and unregistering are slow.
 * FTRACE_OPS_FL_PERMANENT: ftrace is not switched off under our probes, and
 * they are refused (-EBUSY) while it is off.
 *
 * RCU must watch while handlers run: kp_host_wait_handlers relies on it.  In
 * the idle loop it does not; there it is entered like an NMI.  Without
 * the functions for that, ftrace sites are refused.
 *
 * Locks: ops_lock, inside the registry lock.
 */
#include <linux/irqflags.h>
#include <linux/mutex.h>
#include <linux/objtool.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/workqueue.h>
#include <asm/nospec-branch.h>
#include "compat/ftrace.h"
#include "compat/landing_pads.h"
#include "local.h"

#ifdef KP_FTRACE_CALLS

/* Linger before an ops without sites is unregistered. */
#define LINGER HZ

struct kind {
	struct ftrace_ops ops;
	size_t nr;
	bool registered;
};

static struct kind kinds[2];		/* kp_core_on_tracer's redirects */
static DEFINE_MUTEX(ops_lock);

/* ---- the hit ------------------------------------------------------------- */

/* RCU does not watch: in the idle loop, or on the way into or out of it. */
KP_TRAP_PATH static noinline void call_unwatched(struct pt_regs *regs,
						 uintptr_t addr, bool redirects)
{
	unsigned long flags = arch_local_irq_save();

	kp_kernel_rcu_enter();
	kp_core_on_tracer(regs, addr, redirects);
	kp_kernel_rcu_exit();
	arch_local_irq_restore(flags);
}

/*
 * ftrace calls kp_ftrace_entry.  A site that has no other user has a trampoline
 * that calls nothing else: struct pt_regs is at the stack's end then, and all
 * registers are loaded from there afterwards.  So a hit whose handler is abandoned
 * goes on in kp_ftrace_aborted, with the stack as on kp_ftrace_entry, and has
 * nothing to restore.  Otherwise it is some C function that calls.
 */
asm(".pushsection .text.kp_trap, \"ax\"\n"
    ".balign 16\n"
    ".type kp_ftrace_entry, @function\n"
    "kp_ftrace_entry:\n"
    ASM_ENDBR
    "	lea 8(%rsp), %rax\n"
    "	cmp %rax, %rcx\n"
    "	je kp_ftrace_call\n"
    "	jmp kp_ftrace_listed\n"
    ".size kp_ftrace_entry, . - kp_ftrace_entry\n"
    ".balign 16\n"
    ".type kp_ftrace_aborted, @function\n"
    "kp_ftrace_aborted:\n"
    ANNOTATE_NOENDBR "\n"
    "	lea 8(%rsp), %rdi\n"
    "	call kp_ftrace_abort\n"
    "	" ASM_RET
    ".size kp_ftrace_aborted, . - kp_ftrace_aborted\n"
    ".popsection\n");
extern const char kp_ftrace_aborted[];
#define ARGUMENTS unsigned long ip, unsigned long parent_ip,		\
		  struct ftrace_ops *ops, struct kp_ftrace_regs *fregs
void kp_ftrace_entry(ARGUMENTS);
void kp_ftrace_call(unsigned long ip, unsigned long parent_ip,
		    struct ftrace_ops *ops, struct pt_regs *regs);
void kp_ftrace_listed(ARGUMENTS);
void kp_ftrace_abort(struct pt_regs *regs);

/*
 * The function may be called where user memory is open, which is none of handlers'
 * business.  ftrace loads the flags again from regs, as it has saved them.
 */
KP_TRAP_PATH static __always_inline void
close_user_memory(const struct pt_regs *regs)
{
	if (unlikely(regs->flags & X86_EFLAGS_AC))
		asm volatile("push %0\n\tpopf" ::
			     "r" (arch_local_save_flags() & ~X86_EFLAGS_AC) :
			     "memory", "cc");
}

KP_TRAP_PATH static __always_inline void framed(struct pt_regs *regs,
						uintptr_t addr, bool redirects)
{
	close_user_memory(regs);
	preempt_disable_notrace();
	if (likely(kp_rcu_watches()))
		kp_core_on_framed_tracer(addr, kp_context_now(), redirects, regs);
	else
		call_unwatched(regs, addr, redirects);
	preempt_enable_notrace();
}

/* regs: where kp_ftrace_entry has found them. */
KP_TRAP_PATH void kp_ftrace_call(unsigned long ip, unsigned long parent_ip,
				 struct ftrace_ops *ops, struct pt_regs *regs)
{
	if (likely(ops == &kinds[0].ops))
		framed(regs, ip, false);
	else
		framed(regs, ip, true);
}

KP_TRAP_PATH void kp_ftrace_listed(ARGUMENTS)
{
	struct pt_regs *regs = kp_ftrace_get_regs(fregs);
	bool redirects = ops == &kinds[1].ops;

	close_user_memory(regs);
	preempt_disable_notrace();
	if (likely(kp_rcu_watches()))
		kp_core_on_tracer(regs, ip, redirects);
	else
		call_unwatched(regs, ip, redirects);
	preempt_enable_notrace();
}

KP_TRAP_PATH void kp_ftrace_abort(struct pt_regs *regs)
{
	kp_core_on_framed_tracer_abort(regs);
	preempt_enable_notrace();
}

/*
 * The landing returns to kp_ftrace_aborted, from the word below the entry's, with
 * the registers that the trampoline loads again anyway.
 */
KP_TRAP_PATH void kp_ftrace_guard(struct kp_arch_guard *guard,
				  const struct pt_regs *regs)
{
	*guard = (struct kp_arch_guard){
		.sp = (uintptr_t)regs - 2 * sizeof(long),
		.ip = (unsigned long)kp_ftrace_aborted,
		.bx = regs->bx, .bp = regs->bp, .r12 = regs->r12,
		.r13 = regs->r13, .r14 = regs->r14, .r15 = regs->r15,
	};
}

/* ---- filters ------------------------------------------------------------- */

static int open_kind(struct kind *kind)
{
	int err;

	if (kind->registered)
		return 0;
	err = ftrace_set_filter_ip(&kind->ops, kp_ftrace_anchor_site(), 0, 1);
	if (!err)
		err = register_ftrace_function(&kind->ops);
	kind->registered = !err;
	return err;
}

/* On return no call is on its way: ftrace waits for all of them. */
static void close_kind(struct kind *kind)
{
	if (!kind->registered || kind->nr)
		return;
	kind->registered = unregister_ftrace_function(&kind->ops) != 0;
}

static void close_idle(struct work_struct *work)
{
	mutex_lock(&ops_lock);
	close_kind(&kinds[0]);
	close_kind(&kinds[1]);
	mutex_unlock(&ops_lock);
}
static DECLARE_DELAYED_WORK(idle_work, close_idle);

/* All at once; if ftrace refuses, halves, until it is known which it means. */
static int set_filter(struct kind *kind, unsigned long *addrs,
		      struct kp_tracer_site *sites, size_t nr, bool remove)
{
	int err = ftrace_set_filter_ips(&kind->ops, addrs, nr, remove, 0);
	int low, high;

	if (!err || nr == 1) {
		while (nr)
			sites[--nr].err = err;
		return err;
	}
	low = set_filter(kind, addrs, sites, nr / 2, remove);
	high = set_filter(kind, addrs + nr / 2, sites + nr / 2, nr - nr / 2,
			  remove);
	return low ? low : high;
}

static int set_all(struct kind *kind, struct kp_tracer_site *sites, size_t nr,
		   bool remove)
{
	unsigned long *addrs = kp_host_alloc(nr * sizeof(*addrs));
	int err = 0, one;
	size_t i;

	for (i = 0; i < nr; i++) {
		if (addrs) {
			addrs[i] = sites[i].addr;
			continue;
		}
		one = set_filter(kind, &(unsigned long){ sites[i].addr },
				 &sites[i], 1, remove);
		err = err ? err : one;
	}
	if (addrs)
		err = set_filter(kind, addrs, sites, nr, remove);
	kp_host_free(addrs);
	return err;
}

int kp_host_tracer_on(struct kp_tracer_site *sites, size_t nr, bool redirects)
{
	struct kind *kind = &kinds[redirects];
	size_t i;
	int err;

	mutex_lock(&ops_lock);
	err = open_kind(kind);
	for (i = 0; i < nr && err; i++)
		sites[i].err = err;
	if (!err) {
		err = set_all(kind, sites, nr, false);
		for (i = 0; i < nr; i++)
			kind->nr += !sites[i].err;
	}
	mutex_unlock(&ops_lock);
	return err;
}

/*
 * A site that ftrace knows no more has gone with its text; what is left of it
 * in the filter goes with the ops.
 */
int kp_host_tracer_off(struct kp_tracer_site *sites, size_t nr, bool redirects)
{
	struct kind *kind = &kinds[redirects];
	size_t i;
	int err;

	mutex_lock(&ops_lock);
	err = set_all(kind, sites, nr, true);
	for (i = 0; i < nr; i++)
		kind->nr -= !sites[i].err;
	if (!kind->nr)
		schedule_delayed_work(&idle_work, LINGER);
	mutex_unlock(&ops_lock);
	return err;
}

void kp_host_tracer_stop(void)
{
	cancel_delayed_work_sync(&idle_work);
	close_idle(NULL);
}

/* ---- start --------------------------------------------------------------- */

bool kp_ftrace_usable(void)
{
	return kinds[0].ops.func;
}

void kp_ftrace_start(void)
{
	if (!kp_hidden.rcu_enter || !kp_hidden.rcu_exit ||
	    !kp_ftrace_anchor_site())
		return;
	kinds[0].ops.func = kp_ftrace_entry;
	kinds[0].ops.flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_PERMANENT |
			     KP_FTRACE_OPS_PLAIN;
	kinds[1].ops.func = kp_ftrace_entry;
	kinds[1].ops.flags = kinds[0].ops.flags | FTRACE_OPS_FL_IPMODIFY;
}

/* No site is called from, and none is to be. */
void kp_ftrace_forgo(void)
{
	kp_host_tracer_stop();
	kinds[0].ops.func = NULL;
}

/*
 * No site is of any use: the engine has stopped.  What is left in a filter, as
 * ftrace did not take it out, goes with the ops.
 */
static void close_for_good(struct kind *kind)
{
	kind->nr = 0;
	close_kind(kind);
	while (kind->registered) {
		pr_warn("kprobes: unloading waits: ftrace does not let go\n");
		schedule_timeout_uninterruptible(HZ);
		close_kind(kind);
	}
}

/* The engine has stopped.  An ops whose filter was freed is of no use. */
void kp_ftrace_stop(void)
{
	cancel_delayed_work_sync(&idle_work);
	close_for_good(&kinds[0]);
	close_for_good(&kinds[1]);
	if (kp_hidden.free_filter) {
		kp_kernel_free_filter(&kinds[0].ops);
		kp_kernel_free_filter(&kinds[1].ops);
	}
}

#endif
