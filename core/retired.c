/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * retired.c - pools of unregistered return probes.
 *
 * Owns: the list of them, and when their memory is freed.
 *
 *   abandoned --condemn, a call is in flight--> retired
 *   abandoned or retired --condemn, no call is--> idle
 *   idle --readers have left, bury--> freed; or retired, when it was not so idle
 *
 * One wait for readers is enough: it begins after condemn saw every node FREE, and no node is
 * handed out after that.  A call that was hooked in between shows in what was taken from the
 * pool, and its reader may be later than the wait.  Such a pool is retired again.
 *
 * No call leads to such a pool.  But words that are left on stacks may, when another pool's
 * calls are judged.  So its stubs are unbound first, and readers that follow one then are waited
 * for, too.
 *
 * Only the thread that made a call can tell that it has unwound its stack past it.  So each time
 * that any pools remain there is a new round.  In a round every context looks once, with its
 * next hit, for calls of its thread.
 *
 * Locks: the registry lock to change the list; readers take none, and what left the list lives
 * until they have left.
 */
#include "retired.h"
#include "instance.h"
#include "pool.h"
#include "stub.h"

static struct kp_pool *retired;		/* lock-free readers */

unsigned int kp_retired_round;		/* registry lock; lock-free readers */

static void add(struct kp_pool *pool)
{
	pool->next = retired;
	/* Pairs with kp_retired_visit: the pool's next is there. */
	kp_store_release(&retired, pool);
}

/* Nobody will return to it, so far as can be seen now. */
static bool quiet(struct kp_pool *pool, const struct kp_calling *by)
{
	kp_pool_reclaim(pool, by);
	pool->idle_changes = kp_pool_changes(pool);
	return kp_pool_idle(pool);
}

/* To be freed, of dead and of the retired; the other dead are retired. */
struct kp_pool *kp_retired_condemn(struct kp_pool *dead)
{
	struct kp_calling by = { .sp = (uintptr_t)__builtin_frame_address(0) };
	struct kp_pool *idle = NULL, *pool, **link;
	struct kp_context *ctx;

	kp_host_lock(KP_LOCK_REGISTRY);
	/* A reader, like the trap path: it looks at nodes of other pools. */
	ctx = kp_host_enter();
	while ((pool = dead)) {
		dead = pool->next;
		add(pool);
	}
	for (link = &retired; (pool = *link);) {
		if (!quiet(pool, &by)) {
			link = &pool->next;
			continue;
		}
		/*
		 * Pairs with kp_retired_visit.  A reader on this one goes on along idle ones, which have
		 * nothing for him, and are freed when all readers of now have left.
		 */
		kp_store_release(link, pool->next);
		pool->next = idle;
		idle = pool;
	}
	kp_host_leave(ctx);
	if (retired)
		kp_store_relaxed(&kp_retired_round, kp_retired_round + 1);
	kp_host_unlock(KP_LOCK_REGISTRY);
	return idle;
}

/* All readers have left that were there when idle was condemned. */
void kp_retired_bury(struct kp_pool *idle)
{
	struct kp_pool *pool, *dead = NULL;

	if (!idle)
		return;
	kp_host_lock(KP_LOCK_REGISTRY);
	while ((pool = idle)) {
		idle = pool->next;
		if (kp_pool_idle(pool) &&
		    kp_pool_changes(pool) == pool->idle_changes) {
			kp_pool_unbind(pool);
			pool->next = dead;
			dead = pool;
		} else {
			add(pool);
		}
	}
	kp_host_unlock(KP_LOCK_REGISTRY);
	if (dead && kp_stub_followed())
		kp_host_wait_handlers();
	/* Whoever looks at nodes and is no reader, holds this lock. */
	kp_host_lock(KP_LOCK_REGISTRY);
	while ((pool = dead)) {
		dead = pool->next;
		kp_pool_destroy(pool);
	}
	kp_host_unlock(KP_LOCK_REGISTRY);
}

void kp_retired_pin(void)
{
	struct kp_pool *pool;

	for (pool = retired; pool; pool = pool->next)
		kp_pool_pin(pool);
}

/* The list does not change: who changes it is at the end of the engine, and waits. */
static void lead_back(void *unused)
{
	struct kp_pool *pool;

	(void)unused;
	for (pool = retired; pool; pool = pool->next)
		kp_pool_lead_back(pool);
	for (pool = retired; pool; pool = pool->next)
		kp_pool_see_over(pool);
}

/*
 * Calls that last, as those that tasks sleep in, are made to return past us.  No probe is
 * registered any more.  How many remain that will not; no lock is held.
 */
uint32_t kp_retired_lead_back(void)
{
	struct kp_pool *pool;
	uint32_t left = 0;

	kp_host_alone(lead_back, NULL);
	kp_host_lock(KP_LOCK_REGISTRY);
	for (pool = retired; pool; pool = pool->next)
		left += kp_pool_led_back(pool);
	kp_host_unlock(KP_LOCK_REGISTRY);
	return left;
}

bool kp_retired_any(void)
{
	return retired != NULL;
}

/* The calls of this context's thread. */
KP_TRAP_PATH void kp_retired_visit(struct kp_context *ctx,
				  const struct kp_calling *by)
{
	struct kp_pool *pool;

	ctx->retired_round = kp_load_relaxed(&kp_retired_round);
	/* Pairs with add(). */
	for (pool = kp_load_acquire(&retired); pool;
	     pool = kp_load_acquire(&pool->next))
		kp_pool_reclaim(pool, by);
}
