// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * context.c - readers and reentrancy.
 *
 * Owns: struct kp_context, one for each CPU and level: task, soft interrupt,
 * interrupt, NMI.  A hit in an interrupt that came in while a handler ran is
 * not recursion, so it has a context of its own (L10).
 *
 * Every trap enters the kernel as if it were an NMI, so the preemption
 * counter alone cannot tell a trap inside a handler from a real NMI.  What the
 * traps that this CPU handles for us have added to it is counted in kp_traps; what
 * is left is real.
 *
 * A reader runs with preemption off and RCU watching, so synchronize_rcu waits
 * for it (quiesce.c).
 *
 * No locks: only the CPU itself touches its contexts; all of it is trap path.
 */
#include <linux/irqflags.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include "local.h"

enum level { LEVEL_TASK, LEVEL_SOFTIRQ, LEVEL_IRQ, LEVEL_NMI, LEVELS };

static DEFINE_PER_CPU(struct kp_context[LEVELS], contexts);
DEFINE_PER_CPU(unsigned int, kp_traps);	/* KP_TRAP_COUNT each */

/* What a handler may leave behind when it is abandoned, in kp_context.host. */
enum saved { SAVED_PREEMPT, SAVED_PAGEFAULT, SAVED_IRQ, SAVED_RCU, SAVED_GRAPH };
_Static_assert(SAVED_GRAPH < ARRAY_SIZE(((struct kp_context *)0)->host),
	       "there is room for each");

KP_TRAP_PATH static enum level level_now(void)
{
	unsigned int count = preempt_count() - this_cpu_read(kp_traps);

	if (likely(!(count & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET))))
		return LEVEL_TASK;
	if (count & NMI_MASK)
		return LEVEL_NMI;
	return count & HARDIRQ_MASK ? LEVEL_IRQ : LEVEL_SOFTIRQ;
}

KP_TRAP_PATH static unsigned long rcu_depth(void)
{
#ifdef CONFIG_PREEMPT_RCU
	return current->rcu_read_lock_nesting;
#else
	return 0;
#endif
}

/*
 * The function graph tracer keeps the return addresses of a task's calls; those
 * of calls that a handler made and will not return from have to go.  Two
 * numbers: where the next one is kept, and the depth that is shown.
 */
KP_TRAP_PATH static unsigned long graph_depth(void)
{
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	return (u32)current->curr_ret_stack |
	       (unsigned long)current->curr_ret_depth << 32;
#else
	return 0;
#endif
}

KP_TRAP_PATH static void graph_restore(unsigned long depth)
{
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	current->curr_ret_stack = (int)depth;
	current->curr_ret_depth = (int)(depth >> 32);
#endif
}

KP_TRAP_PATH struct kp_context *kp_host_enter(void)
{
	struct kp_context *ctx;

	__preempt_count_add(1);
	barrier();
	ctx = this_cpu_ptr(&contexts[level_now()]);
	if (!ctx->site) {
		ctx->host[SAVED_PREEMPT] = preempt_count();
		ctx->host[SAVED_PAGEFAULT] = current->pagefault_disabled;
		ctx->host[SAVED_IRQ] = arch_local_save_flags();
		ctx->host[SAVED_RCU] = rcu_depth();
		ctx->host[SAVED_GRAPH] = graph_depth();
	}
	return ctx;
}

KP_TRAP_PATH void kp_host_leave(struct kp_context *ctx)
{
	barrier();
	__preempt_count_sub(1);
}

/*
 * No trap made RCU watch, as it does not in the idle loop: then it is made to,
 * like in an NMI, so that kp_host_wait_handlers waits for this reader, too.
 */
KP_TRAP_PATH struct kp_context *
kp_host_enter_detour(struct kp_host_saved *saved)
{
	struct kp_context *ctx = kp_host_enter();

	saved->word[0] = !kp_rcu_watches() && kp_hidden.rcu_enter;
	if (unlikely(saved->word[0]))
		kp_hidden.rcu_enter();
	return ctx;
}

KP_TRAP_PATH void kp_host_leave_detour(struct kp_context *ctx,
				       const struct kp_host_saved *saved)
{
	if (unlikely(saved->word[0]))
		kp_hidden.rcu_exit();
	kp_host_leave(ctx);
}

/* No interrupt leaves what it has interrupted behind. */
KP_TRAP_PATH bool kp_host_unwound(const struct kp_context *ctx, uintptr_t sp)
{
	(void)ctx;
	(void)sp;
	return false;
}

KP_TRAP_PATH void kp_host_forget(struct kp_context *ctx)
{
	(void)ctx;
}

KP_TRAP_PATH struct kp_context *kp_host_context(void)
{
	/* Handlers run with preemption off; and a preemptible caller could be
	 * on another CPU by the time it looks.
	 */
	if (IS_ENABLED(CONFIG_PREEMPT_COUNT) && !preempt_count())
		return NULL;
	return this_cpu_ptr(&contexts[level_now()]);
}

/* Called where the guarded call returns: the trap that entered ctx. */
KP_TRAP_PATH void kp_host_abandon(struct kp_context *ctx)
{
#ifdef CONFIG_PREEMPT_RCU
	while (current->rcu_read_lock_nesting > (int)ctx->host[SAVED_RCU])
		__rcu_read_unlock();
#endif
	graph_restore(ctx->host[SAVED_GRAPH]);
	current->pagefault_disabled = ctx->host[SAVED_PAGEFAULT];
	preempt_count_set(ctx->host[SAVED_PREEMPT]);
	arch_local_irq_restore(ctx->host[SAVED_IRQ]);
	/* The marks of frames that were left without their epilogue. */
	if (kp_hidden.unpoison_stack)
		kp_hidden.unpoison_stack(__builtin_frame_address(0));
}
