/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * instance.h - instances of return probes.
 *
 * Owns: struct kp_node and struct kp_pool.
 *
 * A node is one instance: it stands for one call that has not returned.  Each
 * node has a stub, a few bytes of code that the call returns to; the stub tells
 * which node it is, so no list of a thread's calls is needed.
 *
 *   FREE --kp_pool_take--> TAKEN --hook--> ACTIVE --return--> FREE
 *                            +--declined by the entry handler--> FREE
 *   ACTIVE --kp_pool_reclaim, the call will never return--> FREE
 *   ACTIVE --one of several of a call that returns--> RETURNING --> FREE
 *
 * Invariant: while a node is ACTIVE, no node that was hooked after it for the
 * same call is FREE again; so the way from the stack to it is whole.
 *
 * Nodes and stubs outlive the struct kretprobe: a pool whose rp was
 * unregistered is retired until its last node is FREE.
 */
#ifndef KP_CORE_INSTANCE_H
#define KP_CORE_INSTANCE_H

#include "site.h"

enum kp_node_state {
	KP_NODE_FREE, KP_NODE_TAKEN, KP_NODE_ACTIVE, KP_NODE_RETURNING
};
#define KP_NODE_STATES 4u

struct kp_node {
	/* call_entry.S and return.S read most of it where it stands. */
	uintptr_t real;			/* return address; unwinders read it */
	struct kp_pool *pool;		/* written once */
	uintptr_t entry;		/* the stub's address to return to */
	/*
	 * enum kp_node_state, plus KP_NODE_STATES for each time it was taken:
	 * so a reader that judges one call does not end the next one.
	 */
	unsigned int state;		/* lock-free readers */
	bool parked;			/* in pool->parked, for good */
	bool called;			/* its call was made by the stub */
	bool led_back;			/* its call returns past it, or is over: retired.c */
	uintptr_t frame;		/* where the return address stood */
	/*
	 * What stood there: the real address, or the stub of the node hooked
	 * before, which may be gone when this one's call is over; so not a
	 * pointer to it.
	 */
	uintptr_t below;
	struct kp_site *site;		/* of the entry probe */
	struct kp_task task;
	uint32_t id;			/* in its pool; written once */
	uint32_t next;			/* free list: id + 1, or 0 */
	uint32_t stub;			/* its stub's id + 1; 0: none yet */
	uintptr_t *body;		/* what its stub calls, or NULL */
	struct kretprobe_instance ri;	/* last: the user's data follows */
};
_Static_assert(offsetof(struct kp_node, real) == 0,
	       "the unwind entry of the stubs reads it there");

static inline enum kp_node_state kp_node_state(const struct kp_node *node)
{
	/* Pairs with kp_node_set. */
	return kp_load_acquire(&node->state) % KP_NODE_STATES;
}

/* By whose node it is: the call's thread. */
static inline void kp_node_set(struct kp_node *node, enum kp_node_state state)
{
	unsigned int old = kp_load_relaxed(&node->state);

	/* Release: what the node says is complete before its state. */
	kp_store_release(&node->state, old - old % KP_NODE_STATES + state);
}

#define KP_POOL_CHUNKS 32
#define KP_POOL_PARKED 16

struct kp_chunk {
	uint32_t nr;
	size_t now_len;			/* from kp_host_alloc_now; 0: alloc */
	unsigned char nodes[] __attribute__((aligned(16)));
};

struct kp_pool {
	/* call_entry.S and return.S read these where they stand. */
	struct kretprobe *rp;		/* NULL: retired; lock-free readers */
	kretprobe_handler_t handler;	/* that was judged; written once */
	kretprobe_handler_t lean;	/* the same, if it is lean; or NULL */
	/* The entry probe's, as long as it is linked, if lean; lock-free readers. */
	struct kp_child *lean_child;
	uint8_t keep;			/* enum kp_arch_keep, for handler */
	uint8_t keep_other;		/* for any other; both written once */
	bool grows;			/* no cap was asked for; written once */
	bool blind;			/* its calls are not watched */
	bool owned;			/* parked nodes are; written once */
	/* By kp_context.parked; 0: none.  Stored once; lock-free readers. */
	struct kp_node *parked[KP_POOL_PARKED + 1];
	/* As lean and lean_child, for one that leaves nothing behind. */
	kretprobe_handler_t bare;
	struct kp_child *bare_child;
	struct kretprobe *owner;	/* rp, or what it was; written once */
	size_t node_len;		/* written once */
	bool wants;			/* more nodes, soon; atomic */
	uint64_t free, reserve;		/* lists: tag, id + 1; atomic */
	int spare;			/* nodes in the reserve; atomic */
	int low;			/* and when to ask for more; atomic */
	uint32_t chunks_nr;		/* atomic; only grows */
	struct kp_chunk *chunks[KP_POOL_CHUNKS];	/* lock-free readers */
	uint64_t idle_changes;		/* kp_pool_changes, when condemned */
	struct kp_pool *next;		/* registry lock; retired: lock-free */
	struct kp_pool *hash_next;	/* registry lock */
};

/* Who calls now: the stack pointer at the function's entry, its return address. */
struct kp_calling {
	uintptr_t sp, real;
};

#endif
