/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * retprobe.h - instances of return probes, and what their files share.
 *
 * Owns: struct kp_node, struct kp_pool and the prototypes of pool.c, orphan.c,
 * stub.c and return.c.
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
 * unregistered is an orphan until its last node is FREE.
 */
#ifndef KP_CORE_RETPROBE_H
#define KP_CORE_RETPROBE_H

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
	struct kretprobe *rp;		/* NULL: orphan; lock-free readers */
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
	struct kretprobe *owner;	/* rp, or what it was; written once */
	size_t node_len;		/* written once */
	bool wants;			/* more nodes, soon; atomic */
	uint64_t free, reserve;		/* lists: tag, id + 1; atomic */
	int spare;			/* nodes in the reserve; atomic */
	int low;			/* and when to ask for more; atomic */
	uint32_t chunks_nr;		/* atomic; only grows */
	struct kp_chunk *chunks[KP_POOL_CHUNKS];	/* lock-free readers */
	uint64_t idle_changes;		/* kp_pool_changes, when condemned */
	struct kp_pool *next;		/* registry lock; orphans: lock-free */
	struct kp_pool *hash_next;	/* registry lock */
};

/* Who calls now: the stack pointer at the function's entry, its return address. */
struct kp_calling {
	uintptr_t sp, real;
};

/* pool.c */
struct kp_pool *kp_pool_create(struct kretprobe *rp, uint32_t nr,
			       bool grows);
void kp_pool_unbind(struct kp_pool *pool);	/* its stubs: then it is unknown */
void kp_pool_destroy(struct kp_pool *pool);
int kp_pool_grow(struct kp_pool *pool);				/* sleeps */
bool kp_pool_idle(struct kp_pool *pool);
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

/* orphan.c */
extern unsigned int kp_orphan_round;				/* any */
void kp_orphan_visit(struct kp_context *ctx,
		     const struct kp_calling *by);		/* any */
struct kp_pool *kp_orphan_condemn(struct kp_pool *dead);
void kp_orphan_bury(struct kp_pool *idle);
bool kp_orphan_any(void);

/* stub.c */
int kp_stub_prepare(uint32_t nr);
bool kp_stub_take(struct kp_node *node);			/* any */
void kp_stub_put(struct kp_node *node);
struct kp_node *kp_stub_search(uintptr_t addr);			/* any */
extern struct kp_stub_span {
	uintptr_t from, len;
} kp_stub_span;			/* what all of them lie in; lock-free readers */
extern struct kp_stubs kp_stub_first;	/* most; nr is stored last; ditto */
#define KP_STUB_LINK 1ul	/* in the nodes table: not a node */
/* Around following an address that need not be a live call's; in a reader. */
struct kp_node *kp_stub_of_frame(uintptr_t frame, const void *task);	/* any */
void kp_stub_follow(void);					/* any */
void kp_stub_follow_end(void);					/* any */
bool kp_stub_followed(void);
int kp_stub_stop(void);
void kp_stub_each(void (*each)(void *arg, uintptr_t base, size_t len),
		  void *arg);

/* May addr lie in a stub?  Any. */
static inline __attribute__((__always_inline__)) bool
kp_stub_near(uintptr_t addr)
{
	/* In this order; pairs with widen() in stub.c. */
	uintptr_t off = addr - kp_load_acquire(&kp_stub_span.from);

	return __builtin_expect(off < kp_load_relaxed(&kp_stub_span.len), 0);
}

/* The node of the stub that addr lies in; NULL when there is none.  Any. */
static inline __attribute__((__always_inline__)) struct kp_node *
kp_stub_node(uintptr_t addr)
{
	return kp_stub_near(addr) ? kp_stub_search(addr) : NULL;
}

/* The same, as far as the first region's stubs go. */
static inline __attribute__((__always_inline__)) struct kp_node *
kp_stub_in_first(uintptr_t addr)
{
	uintptr_t nr = (addr - kp_stub_first.base) / KP_ARCH_STUB_LEN;
	struct kp_node *node;

	if (__builtin_expect(nr >= kp_stub_first.nr, 0))
		return NULL;
	/* Pairs with kp_stub_take. */
	node = kp_load_acquire(&kp_stub_first.nodes[nr]);
	return __builtin_expect((uintptr_t)node & KP_STUB_LINK, 0) ? NULL : node;
}

/* return.c */
void kp_return_claim(struct kprobe *kp, bool blind);
void kp_return_release(struct kprobe *kp);
kprobe_pre_handler_t kp_return_lean(const struct kprobe *kp);
kprobe_pre_handler_t kp_return_quiet(const struct kprobe *kp);
void kp_return_linked(struct kp_child *child);
struct kp_pool *kp_return_calls(const struct kp_child *child);
void kp_return_abandon(struct kp_context *ctx);			/* any */
void kp_return_left(struct kp_context *ctx);			/* any */
uintptr_t kp_return_real(uintptr_t ip);				/* any */

/* retprobe.c */
int kp_return_stop(void);
void kp_return_unlinked(const struct kp_child *child);

/* trap.c: one handler, guarded; false when it had to be abandoned. */
bool kp_trap_call(struct kp_context *ctx, struct kp_child *child,
		  void *handler, void *first, struct pt_regs *regs,
		  unsigned long third, int *result);

/* probe.c: the final address, without registering; K-REG-01 to 14. */
int kp_probe_locate(struct kprobe *p, uintptr_t *addr, bool *on_entry);

#endif
