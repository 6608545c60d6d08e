/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * pool.h - the instances of a return probe.
 */
#ifndef KP_CORE_POOL_H
#define KP_CORE_POOL_H

#include "context.h"
#include "instance.h"

struct kp_pool *kp_pool_create(struct kretprobe *rp, uint32_t nr,
			       bool grows);
void kp_pool_unbind(struct kp_pool *pool);	/* its stubs: then it is unknown */
void kp_pool_destroy(struct kp_pool *pool);
int kp_pool_grow(struct kp_pool *pool);				/* sleeps */
bool kp_pool_idle(struct kp_pool *pool);
void kp_pool_pin(struct kp_pool *pool);
void kp_pool_lead_back(struct kp_pool *pool);
void kp_pool_see_over(struct kp_pool *pool);
uint32_t kp_pool_led_back(struct kp_pool *pool);
uint64_t kp_pool_changes(struct kp_pool *pool);			/* any */
void kp_pool_reclaim(struct kp_pool *pool,
		     const struct kp_calling *by);		/* any */
struct kp_node *kp_pool_take(struct kp_pool *pool, struct kp_context *ctx,
			     const struct kp_calling *by);	/* any */
void kp_pool_push(struct kp_node *node);			/* any */

/*
 * Of the context's own node, with this state: it is TAKEN now, if it was FREE.
 * Where others take no parked nodes, only who interrupts may be in between.
 */
static inline __attribute__((__always_inline__)) bool
kp_pool_take_node(const struct kp_pool *pool, struct kp_node *node,
		  unsigned int state)
{
	unsigned int taken = state - KP_NODE_FREE + KP_NODE_STATES +
			     KP_NODE_TAKEN;

	if (__builtin_expect(state % KP_NODE_STATES != KP_NODE_FREE, 0))
		return false;
	if (KP_GROWS_NOW && __builtin_expect(pool->owned, 1))
		return __builtin_expect(kp_arch_swap_alone(&node->state, state,
							   taken), 1);
	/* Pairs with kp_pool_put, as begin() in pool.c. */
	return __builtin_expect(kp_swap_if(&node->state, &state, taken), 1);
}

/* The context's own node, TAKEN, if it has one and that is free. */
static inline __attribute__((__always_inline__)) struct kp_node *
kp_pool_take_parked(struct kp_pool *pool, const struct kp_context *ctx)
{
	/* Pairs with park() in pool.c. */
	struct kp_node *node = kp_load_acquire(&pool->parked[ctx->parked]);

	if (__builtin_expect(!node, 0))
		return NULL;
	return kp_pool_take_node(pool, node, kp_load_relaxed(&node->state))
		       ? node : NULL;
}

static inline __attribute__((__always_inline__)) void
kp_pool_put(struct kp_node *node)				/* any */
{
	/* A parked one that is FREE can be taken from here on. */
	kp_node_set(node, KP_NODE_FREE);
	if (__builtin_expect(!node->parked, 0))
		kp_pool_push(node);
}

#endif
