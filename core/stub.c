/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * stub.c - the code that hooked calls return to.
 *
 * Owns: the stubs, and the node of each.  A stub is bound to a node when the node is first used,
 * and stays bound until the node's memory is freed.  The nodes at the front of a free list are
 * used over and over, so few of them ever have a stub.
 *
 * The first region may be the host's own, prepared in advance, where an unwind table covers it.
 * Other regions are filled here.  Regions stay until the engine stops.
 *
 * Locks: the registry lock to add regions; the rest is lock-free.
 */
#include "stub.h"
#include "instance.h"

#define REGIONS_MAX	16
#define REGION_FIRST	4096u
#define REGION_LAST	65536u

struct region {
	struct kp_stubs stubs;
	uint32_t first;			/* id of its first stub */
	struct kp_exec exec;		/* len 0: the host's */
};

static struct region regions[REGIONS_MAX];	/* published by regions_nr */
static uint32_t regions_nr;
struct kp_stub_span kp_stub_span;	/* changed with the registry lock */
struct kp_stubs kp_stub_first;		/* ditto */
static uint32_t stubs_nr;		/* in all regions; lock-free readers */
static uint32_t stubs_used;		/* ids ever bound; atomic */
static uint64_t free_stubs;		/* list: tag, id + 1; atomic */

KP_TRAP_PATH static struct region *region_of(uint32_t id)
{
	/* Pairs with region_add, here and below: so many are complete. */
	uint32_t nr = kp_load_acquire(&regions_nr), i;

	for (i = 0; i + 1 < nr && id >= regions[i + 1].first; i++)
		;
	return &regions[i];
}

KP_TRAP_PATH struct kp_node *kp_stub_search(uintptr_t addr)
{
	/* Pairs with region_add. */
	uint32_t nr = kp_load_acquire(&regions_nr), i;

	for (i = 0; i < nr; i++) {
		struct kp_stubs *s = &regions[i].stubs;
		uintptr_t off = addr - s->base;
		struct kp_node *node;

		if (off >= (uintptr_t)s->nr * KP_ARCH_STUB_LEN)
			continue;
		/* Pairs with kp_stub_take. */
		node = kp_load_acquire(&s->nodes[off / KP_ARCH_STUB_LEN]);
		return (uintptr_t)node & KP_STUB_LINK ? NULL : node;
	}
	return NULL;
}

/* A node whose call has that frame on a stack of the task's; or NULL.  For followers. */
KP_TRAP_PATH struct kp_node *kp_stub_of_frame(uintptr_t frame, const void *task)
{
	uint32_t nr = kp_load_acquire(&regions_nr), i, j;

	for (i = 0; i < nr; i++) {
		struct kp_stubs *s = &regions[i].stubs;

		for (j = 0; j < s->nr; j++) {
			/* Pairs with kp_stub_take. */
			struct kp_node *node = kp_load_acquire(&s->nodes[j]);

			if (node && !((uintptr_t)node & KP_STUB_LINK) &&
			    kp_node_state(node) == KP_NODE_ACTIVE &&
			    node->frame == frame && node->task.task == task)
				return node;
		}
	}
	return NULL;
}

/*
 * What is left on a stack may lead to a stub whose node is about to be freed.
 * Readers that follow such a word count themselves, so that who frees nodes
 * knows whether to wait for them once more.
 */
static int followers;		/* atomic */

KP_TRAP_PATH void kp_stub_follow(void)
{
	kp_add_relaxed(&followers, 1);
	/* Pairs with kp_stub_followed. */
	kp_fence_full();
}

KP_TRAP_PATH void kp_stub_follow_end(void)
{
	/* Pairs with the acquire in kp_stub_followed: the node was looked at before. */
	kp_fence_release();
	kp_add_relaxed(&followers, -1);
}

/* After kp_stub_put: may there be a reader that has found the node before? */
bool kp_stub_followed(void)
{
	/* The stub is nobody's before the followers are counted. */
	kp_fence_full();
	/* Pairs with kp_stub_follow: whoever begins later finds no node. */
	return kp_load_acquire(&followers);
}

/*
 * The ids of unbound stubs that were used before are linked through the nodes
 * table: an entry with its lowest bit set is a link, not a node.
 */
KP_TRAP_PATH static bool pop(uint32_t *id)
{
	uint64_t old = kp_load_acquire(&free_stubs), new;

	do {
		struct region *region;
		uintptr_t link;

		if (!(uint32_t)old)
			return false;
		*id = (uint32_t)old - 1;
		region = region_of(*id);
		link = (uintptr_t)kp_load_relaxed(
			&region->stubs.nodes[*id - region->first]);
		new = ((old >> 32) + 1) << 32 | (uint32_t)(link >> 1);
		/* Acquire: pairs with the release in kp_stub_put. */
	} while (!kp_swap_if(&free_stubs, &old, new));
	return true;
}

KP_TRAP_PATH static bool fresh(uint32_t *id)
{
	uint32_t used = kp_load_relaxed(&stubs_used);

	do {
		/* Pairs with region_add: the region that this id lies in is there. */
		if (used >= kp_load_acquire(&stubs_nr))
			return false;
		/* Atomic only: whose id it is. */
	} while (!kp_swap_if(&stubs_used, &used, used + 1));
	*id = used;
	return true;
}

KP_TRAP_PATH bool kp_stub_take(struct kp_node *node)
{
	struct region *region;
	uint32_t id;

	if (node->stub)
		return true;
	if (!pop(&id) && !fresh(&id))
		return false;
	region = region_of(id);
	node->stub = id + 1;
	node->entry = region->stubs.base +
		      (uintptr_t)(id - region->first) * KP_ARCH_STUB_LEN +
		      KP_ARCH_STUB_RETURN;
	if (region->stubs.bodies)
		node->body = &region->stubs.bodies[id - region->first];
	/* Pairs with kp_stub_node. */
	kp_store_release(&region->stubs.nodes[id - region->first], node);
	return true;
}

/* The node is about to be freed; only kp_stub_follow's readers can be at it. */
void kp_stub_put(struct kp_node *node)
{
	uint64_t old = kp_load_relaxed(&free_stubs), new;
	struct region *region;
	uint32_t id = node->stub - 1;

	if (!node->stub)
		return;
	node->stub = 0;
	region = region_of(id);
	do {
		uintptr_t link = (uintptr_t)(uint32_t)old << 1 | KP_STUB_LINK;

		kp_store_relaxed(&region->stubs.nodes[id - region->first],
				 (struct kp_node *)link);
		new = ((old >> 32) + 1) << 32 | (id + 1);
		/* Release: pairs with the acquire in pop(). */
	} while (!kp_swap_if(&free_stubs, &old, new));
}

/* ---- regions --------------------------------------------------------------- */

/* At a time, on a kernel's stack. */
#define FILL 32

static int fill(const struct kp_stubs *stubs)
{
	uint8_t image[FILL * KP_ARCH_STUB_LEN];
	uint32_t i, n;
	int err = 0;

	for (i = 0; i < stubs->nr && !err; i += n) {
		uintptr_t at = stubs->base + (uintptr_t)i * KP_ARCH_STUB_LEN;

		for (n = 0; n < FILL && i + n < stubs->nr; n++)
			kp_arch_emit_stub(at + n * KP_ARCH_STUB_LEN,
					  (uintptr_t)kp_arch_return_entry,
					  image + n * KP_ARCH_STUB_LEN);
		err = kp_host_exec_write(at, image, n * KP_ARCH_STUB_LEN);
	}
	return err;
}

static bool reaches(uintptr_t from, uintptr_t to)
{
	return (from > to ? from - to : to - from) < KP_ARCH_STUB_REACH;
}

static int make(struct region *region, uint32_t nr)
{
	const uintptr_t entry = (uintptr_t)kp_arch_return_entry;
	struct kp_stubs *stubs = &region->stubs;
	int err;

	stubs->nodes = kp_host_alloc(nr * sizeof(stubs->nodes[0]));
	if (!stubs->nodes)
		return -ENOMEM;
	err = kp_host_exec_alloc(&region->exec, entry, (size_t)nr * KP_ARCH_STUB_LEN, true);
	if (err)
		err = kp_host_exec_alloc(&region->exec, entry, (size_t)nr * KP_ARCH_STUB_LEN, false);
	if (err)
		goto free_nodes;
	err = -ENOMEM;
	if (!reaches(region->exec.base, entry) ||
	    !reaches(region->exec.base + region->exec.len, entry))
		goto free_exec;
	stubs->base = region->exec.base;
	stubs->nr = nr;
	err = fill(stubs);
	if (err)
		goto free_exec;
	return 0;

free_exec:
	kp_host_exec_free(&region->exec);
free_nodes:
	kp_host_free(stubs->nodes);
	region->exec.len = 0;
	return err;
}

/*
 * A reader that finds the old beginning and the new length sees more than there
 * is, and never less: it loads the beginning first.  Pairs with kp_stub_near.
 */
static void widen(uintptr_t from, uintptr_t len)
{
	struct kp_stub_span *span = &kp_stub_span;
	uintptr_t to = from + len;

	if (span->len && span->from + span->len > to)
		to = span->from + span->len;
	if (span->len && span->from < from)
		from = span->from;
	kp_store_release(&span->len, to - from);
	kp_store_release(&span->from, from);
}

static int region_add(uint32_t nr)
{
	struct region *region = &regions[regions_nr];
	int err = 0;

	if (regions_nr == REGIONS_MAX)
		return -ENOMEM;
	region->exec.len = 0;
	if (regions_nr || !kp_host_return_stubs(&region->stubs))
		err = make(region, nr);
	if (err)
		return err;
	region->first = stubs_nr;
	widen(region->stubs.base,
	      (uintptr_t)region->stubs.nr * KP_ARCH_STUB_LEN);
	if (!regions_nr) {
		kp_stub_first.base = region->stubs.base;
		kp_stub_first.nodes = region->stubs.nodes;
		/*
		 * Pairs with what made the address of a stub known to whoever asks for it: that
		 * was stored after this.
		 */
		kp_store_release(&kp_stub_first.nr, region->stubs.nr);
	}
	/* Pairs with the acquires of the lock-free functions. */
	kp_store_release(&regions_nr, regions_nr + 1);
	kp_store_release(&stubs_nr, stubs_nr + region->stubs.nr);
	return 0;
}

/*
 * Stubs for nr more nodes, as far as that is reasonable: a node without one
 * counts as missed.  0, or -errno when there are no stubs at all.
 */
int kp_stub_prepare(uint32_t nr)
{
	uint32_t size = REGION_FIRST;
	int err = 0;

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	if (nr > REGION_LAST)
		nr = REGION_LAST;
	if (stubs_nr && stubs_nr - kp_load_relaxed(&stubs_used) >= nr)
		return 0;
	while (size < nr)
		size *= 2;
	err = region_add(size);
	return stubs_nr ? 0 : err;
}

/* The host's own stay. */
void kp_stub_each(void (*each)(void *arg, uintptr_t base, size_t len),
		  void *arg)
{
	/* Pairs with region_add. */
	uint32_t nr = kp_load_acquire(&regions_nr), i;

	for (i = 0; i < nr; i++)
		if (regions[i].exec.len)
			each(arg, regions[i].exec.base, regions[i].exec.len);
}

bool kp_stub_has(uintptr_t addr)
{
	uint32_t i;

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	for (i = 0; i < regions_nr; i++)
		if (addr - regions[i].stubs.base <
		    (uintptr_t)regions[i].stubs.nr * KP_ARCH_STUB_LEN)
			return true;
	return false;
}

/* All nodes are freed.  -EBUSY: a task may still be in a stub. */
int kp_stub_stop(void)
{
	uint32_t i;

	for (i = 0; i < regions_nr; i++)
		if (regions[i].exec.len &&
		    kp_host_wait_tasks(regions[i].exec.base,
				       regions[i].exec.len))
			return -EBUSY;
	for (i = 0; i < regions_nr; i++) {
		if (!regions[i].exec.len) {
			memset(regions[i].stubs.nodes, 0,
			       regions[i].stubs.nr *
				       sizeof(regions[i].stubs.nodes[0]));
			continue;
		}
		kp_host_exec_free(&regions[i].exec);
		kp_host_free(regions[i].stubs.nodes);
	}
	regions_nr = 0;
	kp_stub_span.len = 0;
	kp_stub_first.nr = 0;
	stubs_nr = 0;
	stubs_used = 0;
	free_stubs = 0;
	return 0;
}
