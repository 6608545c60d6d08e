/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * stub.h - where calls with an instance return to, and which instance that is.
 */
#ifndef KP_CORE_STUB_H
#define KP_CORE_STUB_H

#include "instance.h"

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
bool kp_stub_has(uintptr_t addr);
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

/* The one that was hooked before for the same call, or NULL. */
static inline __attribute__((__always_inline__)) struct kp_node *
kp_node_next(const struct kp_node *node)
{
	return __builtin_expect(node->below == node->real, 1) ? NULL
						 : kp_stub_node(node->below);
}

/* From here on nobody takes the call for lost. */
static inline __attribute__((__always_inline__)) bool
kp_node_claim(struct kp_node *node)
{
	unsigned int state = kp_load_relaxed(&node->state);

	do {
		if (state % KP_NODE_STATES != KP_NODE_ACTIVE)
			return false;
		/* Pairs with kp_node_set in hook(); and with reclaim(), of which one wins. */
	} while (!kp_swap_if(&node->state, &state,
			     state - KP_NODE_ACTIVE + KP_NODE_RETURNING));
	return true;
}

#endif
