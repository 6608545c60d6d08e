// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * abandon.c - a handler that faulted is abandoned.
 *
 * Owns: where its hit goes on, and putting back what the handler has left behind of this
 * task: preemption, RCU, page faults, the function graph tracer's stack.
 *
 * No locks; all of it is trap path.
 */
#include <linux/uaccess.h>
#include "local.h"

KP_TRAP_PATH static void graph_restore(unsigned long depth)
{
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	current->curr_ret_stack = (long)(depth << KP_GRAPH_HALF) >> KP_GRAPH_HALF;
	current->curr_ret_depth = (long)depth >> KP_GRAPH_HALF;
#endif
}

KP_TRAP_PATH void kp_host_guard(struct kp_arch_guard *guard,
				struct pt_regs *regs, bool traced)
{
	if (traced)
		kp_ftrace_guard(guard, regs);
	else
		kp_short_guard(guard, regs);
}

/* Called where the guarded call returns: the trap that entered ctx. */
KP_TRAP_PATH void kp_host_abandon(struct kp_context *ctx)
{
	uintptr_t frame = ctx->frame & ~KP_FRAME_BITS;
	/* A hit that is no trap runs its handlers as it has found interrupts. */
	unsigned long irq = frame ? kp_regs_irq((struct pt_regs *)frame)
				  : ctx->host[KP_UNDO_IRQ];

	/* kp_host_note_nothing. */
	if (!ctx->host[KP_UNDO_PREEMPT])
		return;
#ifdef CONFIG_PREEMPT_RCU
	while (current->rcu_read_lock_nesting > (int)ctx->host[KP_UNDO_RCU])
		rcu_read_unlock();	/* lockdep counts them, too */
#endif
	graph_restore(ctx->host[KP_UNDO_GRAPH]);
	current->pagefault_disabled = ctx->host[KP_UNDO_PAGEFAULT];
	preempt_count_set(ctx->host[KP_UNDO_PREEMPT]);
	kp_irq_restore(irq);
	/* The marks of frames that were left without their epilogue. */
	if (kp_hidden.unpoison_stack)
		kp_kernel_unpoison_stack(__builtin_frame_address(0));
}
