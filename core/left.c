/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * left.c - what a handler leaves behind when it faults or is never returned to.
 *
 * Owns: what happens to the instances of return probes that the context was working on: the
 * one taken at the entry of a call, and those of a call that returned.
 *
 * Locks: none.  Trap path.
 */
#include "left.h"
#include "context.h"
#include "instance.h"
#include "pool.h"
#include "stub.h"

/*
 * The context's handler faulted, or was left: enter() leaves its node behind.
 * An ACTIVE one is whole: its call will be found lost.
 */
KP_TRAP_PATH void kp_left_entry(struct kp_context *ctx)
{
	struct kp_node *node = ctx->taken;

	/* First: a signal that finds the context left, too, must not put it twice. */
	kp_store_release(&ctx->taken, NULL);
	if (node && kp_node_state(node) == KP_NODE_TAKEN)
		kp_pool_put(node);
}

KP_TRAP_PATH void kp_core_on_left(struct kp_context *ctx)
{
	kp_left_entry(ctx);
}

/* The context's handler was left for good: the call's others are not asked. */
KP_TRAP_PATH void kp_left_for_good(struct kp_context *ctx)
{
	struct kp_node *node = kp_load_acquire(&ctx->returning), *at;

	kp_left_entry(ctx);
	/* Once, whatever a signal in between finds out. */
	while (!kp_swap_if(&ctx->returning, &node, NULL))
		;
	for (; node; node = at) {
		/* Pairs with abandon(): NULL, or it stays as long as this reader. */
		struct kretprobe *rp = kp_load_acquire(&node->pool->rp);

		at = kp_node_next(node);
		/* The only one of its call is ACTIVE still. */
		if (kp_node_state(node) != KP_NODE_RETURNING && !kp_node_claim(node))
			break;
		if (rp)
			kp_add_relaxed(&rp->nstale, 1);
		kp_pool_put(node);
	}
}
