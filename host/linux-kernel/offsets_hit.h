/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * offsets_hit.h - what an env_asm.h has to know of C for a hit through a jump.
 *
 * Owns: nothing that is loaded.  The kernel's build makes a header of the
 * assembler text of offsets.c, which includes this, as it does for its own; see Kbuild.
 */
#include <linux/kbuild.h>
#include "enter.h"
#include "compat/percpu.h"

/* What makes a context another one than the task's. */
#define NOT_TASK (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET)

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
/* Read at once, as kp_graph_depth puts them together. */
_Static_assert(offsetof(struct task_struct, curr_ret_depth) ==
	       offsetof(struct task_struct, curr_ret_stack) + 4, "graph");
#endif

static __always_inline void kp_offsets_hit(void)
{
#ifdef KP_RCU_IS_FOUND
	DEFINE(KP_RCU_IS_FOUND, 1);
#else
	DEFINE(KP_RCU_WORD, &kp_rcu_word);
#endif
	DEFINE(KP_RCU_BIT, KP_RCU_WATCHING);
	OFFSET(KP_TASK_PAGEFAULT, task_struct, pagefault_disabled);
#ifdef CONFIG_PREEMPT_RCU
	OFFSET(KP_TASK_RCU, task_struct, rcu_read_lock_nesting);
#endif
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	OFFSET(KP_TASK_GRAPH, task_struct, curr_ret_stack);
#endif
	DEFINE(KP_NOT_TASK, NOT_TASK);
	OFFSET(KP_CTX_SITE, kp_context, site);
	OFFSET(KP_CTX_CURRENT, kp_context, current);
	OFFSET(KP_CTX_FRAME, kp_context, frame);
	OFFSET(KP_CTX_FRAMED, kp_context, framed);
	OFFSET(KP_CTX_RESUME, kp_context, resume);
	OFFSET(KP_CTX_PREEMPT, kp_context, host[KP_UNDO_PREEMPT]);
	OFFSET(KP_CTX_PAGEFAULT, kp_context, host[KP_UNDO_PAGEFAULT]);
	OFFSET(KP_CTX_RCU, kp_context, host[KP_UNDO_RCU]);
	OFFSET(KP_CTX_GRAPH, kp_context, host[KP_UNDO_GRAPH]);
}
