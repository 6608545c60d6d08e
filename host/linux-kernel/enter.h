/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * enter.h - entering and leaving the engine.
 *
 * Owns: what every hit pays for finding its context; context.c says what the
 * contexts are.  Inline, as a hit through a jump costs little else.
 *
 * No locks: only the CPU itself touches its contexts; all of it is trap path.
 */
#ifndef KP_KERNEL_ENTER_H
#define KP_KERNEL_ENTER_H

#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "compat/percpu.h"
#include "env.h"
#include "context.h"
#include "host.h"

enum kp_level {
	KP_LEVEL_TASK, KP_LEVEL_SOFTIRQ, KP_LEVEL_IRQ, KP_LEVEL_NMI, KP_LEVELS
};
DECLARE_PER_CPU(struct kp_context[KP_LEVELS], kp_contexts);
DECLARE_PER_CPU(unsigned int, kp_traps);	/* KP_TRAP_COUNT each */

/* What a handler may leave behind when it is abandoned, in kp_context.host. */
enum kp_undo {
	KP_UNDO_PREEMPT, KP_UNDO_PAGEFAULT, KP_UNDO_IRQ, KP_UNDO_RCU,
	KP_UNDO_GRAPH
};
_Static_assert(KP_UNDO_GRAPH < ARRAY_SIZE(((struct kp_context *)0)->host),
	       "there is room for each");

static __always_inline bool kp_rcu_watches(void)
{
	bool watches = raw_cpu_read(kp_rcu_word) & KP_RCU_WATCHING;

#ifdef KP_RCU_IS_FOUND
	watches = likely(watches) || rcu_is_watching();
#endif
	return watches;
}

/*
 * What traps have added to the preemption counter.  riscv64 has no NMIs: what newer kernels
 * count as one there are traps, all but page faults and the breakpoints that are ours.
 */
static __always_inline unsigned int kp_traps_in(unsigned int count)
{
	if (IS_ENABLED(CONFIG_RISCV))
		return (count & NMI_MASK) / NMI_OFFSET * (NMI_OFFSET + HARDIRQ_OFFSET);
	return this_cpu_read(kp_traps);
}

/* count: the preemption counter. */
static __always_inline enum kp_level kp_level_of(unsigned int count)
{
	/* The traps have no other bits, and never more than are there. */
	count &= NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET;
	count -= kp_traps_in(count);
	if (likely(!count))
		return KP_LEVEL_TASK;
	if (count & NMI_MASK)
		return KP_LEVEL_NMI;
	return count & HARDIRQ_MASK ? KP_LEVEL_IRQ : KP_LEVEL_SOFTIRQ;
}

static __always_inline unsigned long
kp_rcu_depth(const struct task_struct *task)
{
#ifdef CONFIG_PREEMPT_RCU
	return (unsigned int)task->rcu_read_lock_nesting;
#else
	return 0;
#endif
}

/*
 * The function graph tracer keeps the return addresses of a task's calls; those
 * of calls that a handler made and will not return from have to go.  Two
 * numbers, small ones or -1: where the next one is kept, and the depth that is shown.
 */
#define KP_GRAPH_HALF (BITS_PER_LONG / 2)
static __always_inline unsigned long
kp_graph_depth(const struct task_struct *task)
{
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	return (task->curr_ret_stack & ((1ul << KP_GRAPH_HALF) - 1)) |
	       (unsigned long)task->curr_ret_depth << KP_GRAPH_HALF;
#else
	return 0;
#endif
}

/* The context of a reader that is marked already. */
static __always_inline struct kp_context *kp_context_now(void)
{
	struct kp_context *ctx =
		this_cpu_ptr(&kp_contexts[kp_level_of(preempt_count())]);

	if (!ctx)
		__builtin_unreachable();
	return ctx;
}

/*
 * After the context has a site, not when it is entered: what an interrupt does
 * before it counts as one, and after, runs at the level of what it interrupted
 * (it wakes ksoftirqd so, for one).  A hit there, before there is a site, would
 * leave its own deeper counts for the hit that it has interrupted.
 */
static __always_inline void kp_host_note(struct kp_context *ctx)
{
	const struct task_struct *task = get_current();
	/*
	 * First: the compiler takes it for a change of all memory, and so keeps
	 * what follows behind the store of the site.
	 */
	unsigned long irq = arch_local_save_flags();

	ctx->host[KP_UNDO_PREEMPT] = preempt_count();
	ctx->host[KP_UNDO_PAGEFAULT] = (unsigned int)task->pagefault_disabled;
	ctx->host[KP_UNDO_IRQ] = irq;
	ctx->host[KP_UNDO_RCU] = kp_rcu_depth(task);
	ctx->host[KP_UNDO_GRAPH] = kp_graph_depth(task);
}

/* Whoever runs in a context has added to the counter, which is never 0 then. */
static __always_inline void kp_host_note_nothing(struct kp_context *ctx)
{
	ctx->host[KP_UNDO_PREEMPT] = 0;
}

void kp_host_guard(struct kp_arch_guard *guard, struct pt_regs *regs, bool traced);

static __always_inline struct kp_context *kp_context_enter(void)
{
	__preempt_count_add(1);
	/*
	 * For the compiler, here and in what leaves: which context it is, and all that is
	 * done in it, belongs between the two counts.  Earlier the task could still change
	 * to another CPU; later another task, which has the CPU then, uses the context.
	 * For other CPUs RCU orders: kp_host_wait_handlers waits for what stands between.
	 */
	barrier();
	return kp_context_now();
}

static __always_inline void kp_context_leave(void)
{
	/* As in kp_context_enter. */
	barrier();
	__preempt_count_sub(1);
}

/* Make RCU watch; false: this kernel has no way.  And what undoes it. */
bool kp_context_watch(void);
void kp_context_unwatch(void);

/*
 * No trap made RCU watch, as it does not in the idle loop: then it is made to,
 * like in an NMI, so that kp_host_wait_handlers waits for this reader, too.
 */
static __always_inline struct kp_context *
kp_host_enter_detour(struct kp_host_saved *saved)
{
	__preempt_count_add(1);
	/* As in kp_context_enter. */
	barrier();
	saved->word[0] = 0;
	if (unlikely(!kp_rcu_watches()))
		saved->word[0] = kp_context_watch();
	return kp_context_now();
}

static __always_inline void
kp_host_leave_detour(struct kp_context *ctx, const struct kp_host_saved *saved)
{
	if (unlikely(saved->word[0])) {
		/*
		 * env_asm.h's way in notes nothing here, and a hit of its whose handler is
		 * abandoned reads it.  Nobody else's hit is on its way in this context: RCU
		 * would have watched.
		 */
		ctx->saved.word[0] = 0;
		kp_context_unwatch();
	}
	kp_context_leave();
}

/* env_asm.h's way in, where RCU watches. */
static __always_inline void kp_host_direct_saved(struct kp_host_saved *saved)
{
	saved->word[0] = 0;
}

#endif
