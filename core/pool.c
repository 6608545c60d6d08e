/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * pool.c - the instances of a return probe.
 *
 * Owns: the nodes of one return probe, free or not, and the decision that a call will never
 * return.
 *
 * A pool with a cap (maxactive was given) has exactly that many nodes.  A pool without a cap
 * grows before it runs dry.  It starts with as many nodes in reserve as were asked for.  When
 * half of the reserve is used, it asks for more: at once if the host can allocate in any
 * context, otherwise soon.
 *
 * The lists are stacks of node ids with a tag that every change increments.  So a stack that
 * changed and changed back is not mistaken for an unchanged one.  Nodes are freed only when no
 * reader can hold one.
 *
 * A context that has taken a node from the list parks it: the node stays with that context,
 * FREE or not, for the next call.  Taking it is one step on its state, and putting it back
 * needs none.  When the lists are empty, others take parked nodes.  In a pool that can grow at
 * once they do not: there a parked node belongs to its context alone, and that one step need
 * not be atomic.  The states count how often parked nodes were taken.
 *
 * Locks: none in the trap path; the registry lock to grow, create and destroy.
 */
#include "pool.h"
#include "handler.h"
#include "hit.h"
#include "instance.h"
#include "stub.h"
#include "task.h"

#define CHUNK_SHIFT	20		/* id: chunk, index */
#define CHUNK_MAX	(1u << CHUNK_SHIFT)
#define STEP_MAX	4096u
#define HOOKS_MAX	65536u		/* on one call */

static uint32_t pools_nr;		/* registry lock */

KP_TRAP_PATH static struct kp_node *node_in(const struct kp_pool *pool,
					    struct kp_chunk *chunk, uint32_t i)
{
	return (struct kp_node *)(void *)(chunk->nodes +
					  (size_t)i * pool->node_len);
}

KP_TRAP_PATH static struct kp_node *node_of(struct kp_pool *pool, uint32_t id)
{
	/* Pairs with adopt(): the chunk is filled. */
	return node_in(pool, kp_load_acquire(&pool->chunks[id >> CHUNK_SHIFT]),
		       id & (CHUNK_MAX - 1));
}

KP_TRAP_PATH static struct kp_node *pop(struct kp_pool *pool, uint64_t *list)
{
	/* Pairs with push_list(): the first node's next is there. */
	uint64_t old = kp_load_acquire(list), new;
	struct kp_node *node;

	do {
		if (!(uint32_t)old)
			return NULL;
		node = node_of(pool, (uint32_t)old - 1);
		new = ((old >> 32) + 1) << 32 | kp_load_relaxed(&node->next);
		/* Acquire: pairs with push, the node's contents. */
	} while (!kp_swap_if(list, &old, new));
	return node;
}

/* A list of nodes, from first to last. */
HOT void push_list(uint64_t *list, struct kp_node *first,
		   struct kp_node *last)
{
	uint64_t old = kp_load_relaxed(list), new;

	do {
		kp_store_relaxed(&last->next, (uint32_t)old);
		new = ((old >> 32) + 1) << 32 | (first->id + 1);
		/* Release: pairs with pop. */
	} while (!kp_swap_if(list, &old, new));
}

HOT void push(uint64_t *list, struct kp_node *node)
{
	push_list(list, node, node);
}

/* ---- chunks ---------------------------------------------------------------- */

KP_TRAP_PATH static size_t chunk_len(const struct kp_pool *pool, uint32_t nr)
{
	return sizeof(struct kp_chunk) + (size_t)nr * pool->node_len;
}

/* As the chunk in that slot, its nodes a list. */
KP_TRAP_PATH static void number(struct kp_pool *pool, struct kp_chunk *chunk,
				uint32_t slot)
{
	uint32_t i;

	for (i = 0; i < chunk->nr; i++) {
		struct kp_node *node = node_in(pool, chunk, i);

		node->pool = pool;
		node->ri.rp = pool->owner;
		node->task.bound = true;
		node->task.stamp = KP_TASK_UNSTAMPED;
		node->id = slot << CHUNK_SHIFT | i;
		node->next = node->id + 2;
	}
}

/*
 * Publish the chunk, its nodes on list.  False: there is no room for it.  All
 * that takes long comes first: between counting the chunk and filling the list
 * others find neither.
 */
KP_TRAP_PATH static bool adopt(struct kp_pool *pool, struct kp_chunk *chunk,
			       uint64_t *list)
{
	uint32_t slot = kp_load_relaxed(&pool->chunks_nr);

	do {
		if (slot == KP_POOL_CHUNKS)
			return false;
		number(pool, chunk, slot);
		/* Atomic only: whose slot it is.  What is in it is published below. */
	} while (!kp_swap_if(&pool->chunks_nr, &slot, slot + 1));
	/* Pairs with node_of and the walks over all nodes. */
	kp_store_release(&pool->chunks[slot], chunk);
	push_list(list, node_in(pool, chunk, 0),
		  node_in(pool, chunk, chunk->nr - 1));
	return true;
}

static int add(struct kp_pool *pool, uint32_t nr, uint64_t *list)
{
	struct kp_chunk *chunk = kp_host_alloc(chunk_len(pool, nr));

	if (!chunk)
		return -ENOMEM;
	chunk->nr = nr;
	if (adopt(pool, chunk, list))
		return 0;
	kp_host_free(chunk);
	return -ENOMEM;
}

/* As many as there are, within limits. */
KP_TRAP_PATH static uint32_t step(const struct kp_pool *pool)
{
	uint32_t nr = kp_load_relaxed(&pool->chunks_nr), sum = 0, i;

	for (i = 0; i < nr; i++) {
		/* Pairs with adopt(). */
		struct kp_chunk *chunk = kp_load_acquire(&pool->chunks[i]);

		sum += chunk ? chunk->nr : 0;
	}
	return sum > STEP_MAX ? STEP_MAX : sum;
}

/*
 * Unless somebody else has, since there were chunks_nr: threads that find the
 * pool dry at one time must not all double it.
 */
KP_TRAP_PATH static void grow_now(struct kp_pool *pool, uint32_t chunks_nr)
{
	uint32_t nr = step(pool);
	size_t len = chunk_len(pool, nr);
	struct kp_chunk *chunk;

	if (kp_load_relaxed(&pool->chunks_nr) != chunks_nr)
		return;
	chunk = kp_host_alloc_now(len);
	if (!chunk)
		return;
	chunk->nr = nr;
	chunk->now_len = len;
	if (!adopt(pool, chunk, &pool->free))
		kp_host_free_now(chunk, len);
}

/* The reserve has nr nodes more. */
static void count_spare(struct kp_pool *pool, uint32_t nr)
{
	int old = kp_add_relaxed(&pool->spare, (int)nr);

	kp_store_relaxed(&pool->low, (old + (int)nr) / 2);
}

static int add_spare(struct kp_pool *pool, uint32_t nr)
{
	int err = add(pool, nr, &pool->reserve);

	if (!err)
		count_spare(pool, nr);
	return err;
}

struct kp_pool *kp_pool_create(struct kretprobe *rp, uint32_t nr,
			       bool grows)
{
	struct kp_pool *pool = kp_host_alloc(sizeof(*pool));
	uint32_t n;

	if (!pool)
		return NULL;
	pools_nr++;
	pool->grows = grows;
	pool->owned = grows && KP_GROWS_NOW;
	pool->owner = rp;
	pool->handler = rp->handler;
	pool->keep = kp_handler_keep((const void *)rp->handler);
	pool->lean = kp_handler_lean((const void *)rp->handler) ? rp->handler
							     : NULL;
	pool->bare = kp_handler_bare((const void *)rp->handler) ? rp->handler
								: NULL;
	pool->keep_other = kp_host_vectors_live() ? KP_ARCH_KEEP_ALL
						  : KP_ARCH_KEEP_NONE;
	pool->node_len = (sizeof(struct kp_node) + rp->data_size + 15) &
			 ~(size_t)15;
	for (; nr; nr -= n) {
		n = nr < CHUNK_MAX ? nr : CHUNK_MAX;
		if (add(pool, n, &pool->free) ||
		    (grows && add_spare(pool, n))) {
			kp_pool_destroy(pool);
			return NULL;
		}
	}
	return pool;
}

void kp_pool_unbind(struct kp_pool *pool)
{
	uint32_t i, j;

	for (i = 0; i < pool->chunks_nr; i++)
		for (j = 0; j < pool->chunks[i]->nr; j++)
			kp_stub_put(node_in(pool, pool->chunks[i], j));
}

/* No node has a stub, and no reader is at any. */
void kp_pool_destroy(struct kp_pool *pool)
{
	uint32_t i;

	for (i = 0; i < pool->chunks_nr; i++) {
		struct kp_chunk *chunk = pool->chunks[i];

		if (chunk->now_len)
			kp_host_free_now(chunk, chunk->now_len);
		else
			kp_host_free(chunk);
	}
	kp_host_free(pool);
	/* Said for it before the first call was hooked: register_batch in retprobe.c. */
	if (!--pools_nr)
		kp_host_returns_hooked(false);
}

/* ---- calls that never return ------------------------------------------------ */

/* What the word at a node's frame says about its call. */
enum word {
	WORD_LINKED,		/* it still leads to the node */
	WORD_OTHER,		/* it does not */
	WORD_REPLACED,		/* a later call was hooked at the same frame */
	WORD_UNKNOWN,		/* nothing is known to tell */
};

KP_TRAP_PATH static enum word word_of(const struct kp_node *node,
				      const struct kp_calling *by)
{
	const struct kp_node *first, *at;
	unsigned int left = HOOKS_MAX;
	uintptr_t word;
	int err = kp_arch_return_standing(node->frame, &host_mem, &word);

	if (err == -ENOENT && node->frame == by->sp)
		word = by->real;
	else if (err)
		return err == -ENOENT ? WORD_UNKNOWN : WORD_OTHER;
	first = kp_stub_node(word);
	/* Nodes of one call have one frame; others may change meanwhile. */
	for (at = first; at && at->frame == node->frame && left--;
	     at = kp_stub_node(at->below))
		if (at == node)
			return WORD_LINKED;
	return first && first->frame == node->frame ? WORD_REPLACED
						    : WORD_OTHER;
}

KP_TRAP_PATH static bool same_task(const struct kp_task *a,
				   const struct kp_task *b)
{
	return a->task == b->task && a->id == b->id;
}

/*
 * Will the call never return?  One of these shows it:
 *
 *   - its return address was replaced by that of a later call;
 *   - its thread is gone, and with it the stack: it was the thread's own, or
 *     the return address was overwritten, or its memory is gone.  A coroutine
 *     that waits in the call goes on in another thread as long as the address
 *     stands on its stack, whoever called;
 *   - the calling thread has unwound its stack past it (longjmp, an exception):
 *     that takes a frame that is not above the stack pointer of the same stack
 *     and, where that may be another stack, a return address that was
 *     overwritten.
 *
 * Where stacks are copied away and back, to give others their place, no word
 * shows anything: only the end of the thread counts.
 *
 * An address that was overwritten with anything else proves nothing alone:
 * another tool may have put its own there, to come back to ours.  What is never
 * shown keeps its instance: a call that is not probed is counted, one that
 * comes back to another's caller is the end of the program.  There is at most
 * one such instance for each word of a stack.
 */
KP_TRAP_PATH static bool lost(const struct kp_node *node,
			      const struct kp_task *self,
			      const struct kp_calling *by)
{
	bool own = same_task(&node->task, self);
	bool gone = !own && kp_host_task_gone(&node->task);
	enum word word;

	if (gone && node->task.bound)
		return true;
	if (kp_host_stacks_copied())
		return false;
	word = word_of(node, by);
	if (word == WORD_REPLACED)
		return true;
	if (gone)
		return word != WORD_LINKED && word != WORD_UNKNOWN;
	if (!own || !kp_arch_stack_left(node->frame, by->sp))
		return false;
	switch (kp_host_stack(node->frame, by->sp)) {
	case KP_STACK_SAME:
		return word != WORD_LINKED || node->frame != by->sp;
	case KP_STACK_OTHER:
		return false;
	case KP_STACK_UNKNOWN:
		break;
	}
	return word != WORD_LINKED && word != WORD_UNKNOWN;
}

/*
 * All nodes whose call is lost, for a thread that calls so, become FREE, and those that
 * are not parked join the list: *listed.  How many there were.
 */
KP_TRAP_PATH static uint32_t reclaim(struct kp_pool *pool,
				     const struct kp_calling *by,
				     uint64_t *list, uint32_t *listed)
{
	uint32_t nr = kp_load_relaxed(&pool->chunks_nr), i, j, found = 0;
	struct kp_task self = { 0 };

	*listed = 0;
	kp_host_task(&self, by->sp);
	kp_stub_follow();
	for (i = 0; i < nr; i++) {
		/* Pairs with adopt(). */
		struct kp_chunk *chunk = kp_load_acquire(&pool->chunks[i]);

		for (j = 0; chunk && j < chunk->nr; j++) {
			struct kp_node *node = node_in(pool, chunk, j);
			/* Pairs with kp_node_set: task and frame are there. */
			unsigned int state = kp_load_acquire(&node->state);

			/*
			 * The swap fails when it returns, or is another call's:
			 * then what was judged may not have been whole.
			 */
			if (state % KP_NODE_STATES != KP_NODE_ACTIVE ||
			    !lost(node, &self, by) ||
			    !kp_swap_if(&node->state, &state,
					state - KP_NODE_ACTIVE + KP_NODE_FREE))
				continue;
			found++;
			if (node->parked)
				continue;
			push(list, node);
			++*listed;
		}
	}
	kp_stub_follow_end();
	return found;
}

KP_TRAP_PATH static uint32_t take_back(struct kp_pool *pool,
				       const struct kp_calling *by,
				       uint64_t *list, uint32_t *listed)
{
	/* Pairs with abandon(): NULL, or it stays as long as this reader. */
	struct kretprobe *rp = kp_load_acquire(&pool->rp);
	uint32_t nr = reclaim(pool, by, list, listed);

	if (rp && nr)
		kp_add_relaxed(&rp->nstale, nr);
	return nr;
}

KP_TRAP_PATH void kp_pool_reclaim(struct kp_pool *pool,
				  const struct kp_calling *by)
{
	uint32_t listed;

	take_back(pool, by, &pool->free, &listed);
}

/*
 * Later, where one may sleep: what kp_pool_take asked for.  Where many calls
 * were lost, as of a function that tasks end in, their nodes are enough.
 */
int kp_pool_grow(struct kp_pool *pool)
{
	/* Nobody is below an address of 0: other threads' calls only. */
	static const struct kp_calling nobody;
	uint32_t nr = step(pool), found, listed;

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	if (!kp_load_relaxed(&pool->wants) || !pool->grows)
		return 0;
	kp_store_relaxed(&pool->wants, false);
	kp_stub_prepare(nr);
	found = take_back(pool, &nobody, &pool->reserve, &listed);
	count_spare(pool, listed);
	return found > nr / 4 ? 0 : add_spare(pool, nr);
}

/* ---- take and put ----------------------------------------------------------- */

KP_TRAP_PATH static void ask(struct kp_pool *pool)
{
	if (kp_load_relaxed(&pool->wants))
		return;
	kp_store_relaxed(&pool->wants, true);
	kp_host_kick();
}

KP_TRAP_PATH static struct kp_node *take_spare(struct kp_pool *pool)
{
	struct kp_node *node = pop(pool, &pool->reserve);

	if (!node || kp_add_relaxed(&pool->spare, -1) <=
		     kp_load_relaxed(&pool->low))
		ask(pool);
	return node;
}

/* It is FREE; whoever judged the call before sees that it is over. */
KP_TRAP_PATH static bool begin(struct kp_node *node)
{
	unsigned int state = kp_load_relaxed(&node->state);

	do {
		if (state % KP_NODE_STATES != KP_NODE_FREE)
			return false;
		/* Pairs with kp_pool_put: who had it before is done with it. */
	} while (!kp_swap_if(&node->state, &state,
			     state - KP_NODE_FREE + KP_NODE_STATES +
			     KP_NODE_TAKEN));
	return true;
}

/* TAKEN, from the list. */
KP_TRAP_PATH static struct kp_node *take_listed(struct kp_pool *pool)
{
	struct kp_node *node = pop(pool, &pool->free);

	if (node)
		begin(node);
	return node;
}

/* TAKEN, whoever parked it. */
KP_TRAP_PATH static struct kp_node *take_any_parked(struct kp_pool *pool)
{
	struct kp_node *node;
	size_t i;

	for (i = 1; i <= KP_POOL_PARKED && !pool->owned; i++) {
		/* Pairs with park(): it says that it is parked. */
		node = kp_load_acquire(&pool->parked[i]);
		if (node && begin(node))
			return node;
	}
	return NULL;
}

/*
 * How often nodes were taken and put, as far as there could be one to take.  Acquires, so
 * that between two calls is looked at what is looked at there: they pair with the swaps
 * of push_list(), pop(), begin() and the releases of kp_node_set.
 */
KP_TRAP_PATH uint64_t kp_pool_changes(struct kp_pool *pool)
{
	uint64_t sum = kp_load_acquire(&pool->free) >> 32;
	size_t i;

	for (i = 1; i <= KP_POOL_PARKED; i++) {
		/* Also with park(). */
		struct kp_node *node = kp_load_acquire(&pool->parked[i]);

		if (node)
			sum += kp_load_acquire(&node->state) / KP_NODE_STATES;
	}
	return sum;
}

#define LOOKS_MAX 64			/* while others take and put */

/*
 * A call is missed only when at some moment no node was free: one parked node
 * may have been put back behind our back, and the next one taken.  Where
 * nothing was taken meanwhile, whatever was not free was so all the time.
 */
KP_TRAP_PATH static struct kp_node *take_free(struct kp_pool *pool)
{
	unsigned int left = LOOKS_MAX;
	struct kp_node *node;
	uint64_t before;

	do {
		before = kp_pool_changes(pool);
		node = take_listed(pool);
		if (!node)
			node = take_any_parked(pool);
	} while (!node && kp_pool_changes(pool) != before && --left);
	return node;
}

KP_TRAP_PATH static struct kp_node *take_reserved(struct kp_pool *pool)
{
	struct kp_node *node = take_spare(pool);

	if (node)
		begin(node);
	return node;
}

/* TAKEN, or NULL. */
KP_TRAP_PATH COLD struct kp_node *take_more(struct kp_pool *pool,
			       const struct kp_calling *by)
{
	struct kp_node *node = NULL;
	uint32_t chunks_nr;

	if (pool->grows)
		node = take_reserved(pool);
	if (!node)
		node = take_free(pool);
	if (node)
		return node;
	chunks_nr = kp_load_relaxed(&pool->chunks_nr);
	kp_pool_reclaim(pool, by);
	node = take_free(pool);
	if (node || !pool->grows)
		return node;
	grow_now(pool, chunks_nr);
	node = take_listed(pool);
	if (node)
		return node;
	/* Somebody else's chunk is not filled yet, or used up. */
	grow_now(pool, kp_load_relaxed(&pool->chunks_nr));
	return take_free(pool);
}

/*
 * The first contexts have a place in each pool, for good: the host may give one of
 * them to others, but not to two at a time.  Where parked nodes are nobody's, later
 * ones share these places.  A signal may come first.
 */
static unsigned int places;

KP_TRAP_PATH static void take_place(struct kp_context *ctx)
{
	unsigned int none = 0, mine = kp_add_relaxed(&places, 1);

	if (KP_GROWS_NOW && mine >= KP_POOL_PARKED)
		return;
	/* Atomic against a signal that takes one first; nobody else writes it. */
	while (!kp_swap_if(&ctx->parked, &none, 1 + mine % KP_POOL_PARKED) &&
	       !none)
		;
}

/* It is TAKEN and has its stub: it becomes the context's, if that has none. */
KP_TRAP_PATH static void park(struct kp_pool *pool, struct kp_context *ctx,
			      struct kp_node *node)
{
	struct kp_node *none = NULL;

	if (node->parked)
		return;
	if (!ctx->parked &&
	    (!KP_GROWS_NOW || kp_load_relaxed(&places) < KP_POOL_PARKED))
		take_place(ctx);
	if (!ctx->parked || kp_load_relaxed(&pool->parked[ctx->parked]))
		return;
	/* Before others can find it. */
	node->parked = true;
	while (!kp_swap_if(&pool->parked[ctx->parked], &none, node))
		if (none) {
			node->parked = false;
			return;
		}
}

/* There are no stubs left. */
KP_TRAP_PATH COLD struct kp_node *give_up(struct kp_pool *pool,
					  struct kp_node *node)
{
	kp_store_relaxed(&pool->wants, true);
	kp_host_kick();
	kp_pool_put(node);
	return NULL;
}

/*
 * A node with a stub, TAKEN; NULL counts as missed.  The context's own was looked
 * for already.
 */
KP_TRAP_PATH struct kp_node *kp_pool_take(struct kp_pool *pool,
					  struct kp_context *ctx,
					  const struct kp_calling *by)
{
	struct kp_node *node = take_listed(pool);

	if (!LIKELY(node))
		node = take_more(pool, by);
	if (!node)
		return NULL;
	if (!LIKELY(node->stub) && !kp_stub_take(node))
		return give_up(pool, node);
	park(pool, ctx, node);
	return node;
}

/* One that is not parked, FREE: whoever pops it sets it again. */
KP_TRAP_PATH void kp_pool_push(struct kp_node *node)
{
	push(&node->pool->free, node);
}

/* In kp_host_alone; with those that were hooked before for the same call. */
void kp_pool_lead_back(struct kp_pool *pool)
{
	uint32_t i, j;

	for (i = 0; i < pool->chunks_nr; i++)
		for (j = 0; j < pool->chunks[i]->nr; j++) {
			struct kp_node *node = node_in(pool, pool->chunks[i], j), *at;

			if (kp_node_state(node) != KP_NODE_ACTIVE ||
			    !kp_host_put_back(&node->task, node->frame, node->entry, node->real))
				continue;
			for (at = node; at; at = kp_node_next(at))
				at->led_back = true;
		}
}

/*
 * Then, in kp_host_alone too: calls that nobody returns from.  Each by itself: what was hooked
 * before for the same call has its own node, and is as much over.
 */
void kp_pool_see_over(struct kp_pool *pool)
{
	uint32_t i, j;

	for (i = 0; i < pool->chunks_nr; i++)
		for (j = 0; j < pool->chunks[i]->nr; j++) {
			struct kp_node *node = node_in(pool, pool->chunks[i], j);

			if (kp_node_state(node) == KP_NODE_ACTIVE && !node->led_back)
				node->led_back = kp_host_call_over(&node->task, node->frame);
		}
}

/* Afterwards; how many calls there are that will return by way of us. */
uint32_t kp_pool_led_back(struct kp_pool *pool)
{
	uint32_t i, j, left = 0;

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	for (i = 0; i < pool->chunks_nr; i++)
		for (j = 0; j < pool->chunks[i]->nr; j++) {
			struct kp_node *node = node_in(pool, pool->chunks[i], j);

			if (node->led_back) {
				node->led_back = false;
				kp_pool_put(node);
			}
			left += kp_node_state(node) != KP_NODE_FREE;
		}
	return left;
}

/* The sites of those that have called and not returned stay. */
void kp_pool_pin(struct kp_pool *pool)
{
	uint32_t i, j;

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	for (i = 0; i < pool->chunks_nr; i++)
		for (j = 0; j < pool->chunks[i]->nr; j++) {
			struct kp_node *node = node_in(pool, pool->chunks[i], j);

			if (kp_node_state(node) != KP_NODE_FREE && node->site)
				node->site->pinned = true;
		}
}

/* Is every node free? */
bool kp_pool_idle(struct kp_pool *pool)
{
	uint32_t nr = kp_load_acquire(&pool->chunks_nr), i, j;

	for (i = 0; i < nr; i++) {
		/* Pairs with adopt(). */
		struct kp_chunk *chunk = kp_load_acquire(&pool->chunks[i]);

		/* A reader is adding it. */
		if (!chunk)
			return false;
		for (j = 0; j < chunk->nr; j++)
			if (kp_node_state(node_in(pool, chunk, j)) !=
			    KP_NODE_FREE)
				return false;
	}
	return true;
}
