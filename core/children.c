/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * children.c - the children of a site.
 *
 * Owns: the nodes that stand for users' registered structs, their order at a site, and the
 * index from a user's struct to its node.  The order is newest first (K-HIT-15); watch probes
 * are oldest first; jprobes come behind all others (K-JP-13); the host's own probes (own.c)
 * come last.  The nodes are ours.  So a user who overwrites a registered struct cannot break a
 * list, and an unregistered or garbage pointer is recognised without being followed.
 *
 * Locks: the registry lock to change; the trap path reads a site's list without a lock, and a
 * node is freed only after kp_host_wait_handlers.
 */
#include "children.h"
#include "serve.h"

#define INDEX_BUCKETS 4096u

static struct kp_child *by_struct[INDEX_BUCKETS];

static size_t index_of(const struct kprobe *kp)
{
	return kp_hash((uintptr_t)kp) % INDEX_BUCKETS;
}

struct kp_child *kp_child_find(const struct kprobe *kp)
{
	struct kp_child *child = by_struct[index_of(kp)];

	while (child && child->kp != kp)
		child = child->hash_next;
	return child;
}

/* Where in the site's list a new child of this kind goes. */
static struct kp_child **place_of(struct kp_site *site,
				  const struct kp_kind *kind)
{
	struct kp_child **link = &site->children;

	while (*link && ((*link)->kind->rank < kind->rank ||
			 (kind->oldest_first && (*link)->kind == kind)))
		link = &(*link)->next;
	return link;
}

int kp_child_add(struct kp_site *site, struct kprobe *kp,
		 const struct kp_kind *kind)
{
	struct kp_child *child = kp_host_alloc(sizeof(*child));
	struct kp_child **bucket = &by_struct[index_of(kp)];
	struct kp_child **link = place_of(site, kind);

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	if (!child)
		return -ENOMEM;
	child->kp = kp;
	child->site = site;
	child->kind = kind;
	child->enabled = !(kp->flags & KPROBE_FLAG_DISABLED);
	child->hash_next = *bucket;
	*bucket = child;
	kp_serve_add(child);
	child->next = *link;
	/* Pairs with kp_child_first and _next: node and struct are complete. */
	kp_store_release(link, child);
	kp_serve_follow(site);
	return 0;
}

/* Out of both lists; the caller frees it after kp_host_wait_handlers. */
void kp_child_unlink(struct kp_child *child)
{
	struct kp_child **link = &by_struct[index_of(child->kp)];

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	while (*link != child)
		link = &(*link)->hash_next;
	*link = child->hash_next;
	child->hash_next = NULL;

	link = &child->site->children;
	while (*link != child)
		link = &(*link)->next;
	/* A reader on this node still finds its way on through child->next. */
	kp_store_release(link, child->next);
	if (child->kind->unlinked)
		child->kind->unlinked(child);
	kp_serve_removed(child->site, child);
}

/* The struct is not there to follow the node. */
KP_TRAP_PATH void kp_child_disable_gone(struct kp_child *child)
{
	kp_store_relaxed(&child->enabled, false);
	kp_serve_disabled(child);
}

/*
 * Can its user's struct be read, and written as it is where hits and registration do?  One that
 * lies in memory for starting is read-only, or gone, when that is over.
 */
KP_TRAP_PATH bool kp_child_struct_there(const struct kp_child *child)
{
	const struct kprobe *kp = child->kp;
	kprobe_fault_handler_t handler;
	unsigned long nmissed;
	const char *reason;
	u32 flags;

	return !kp_host_data_read((uintptr_t)&kp->fault_handler, &handler, sizeof(handler)) &&
	       !kp_host_data_read((uintptr_t)&kp->flags, &flags, sizeof(flags)) &&
	       !kp_host_data_read((uintptr_t)&kp->nmissed, &nmissed, sizeof(nmissed)) &&
	       !kp_host_data_read((uintptr_t)&kp->reason, &reason, sizeof(reason)) &&
	       /* Constant text, which no hit changes. */
	       !kp_host_data_write((uintptr_t)&kp->reason, &reason, sizeof(reason));
}

/* The user's struct follows the node. */
KP_TRAP_PATH void kp_child_set_enabled(struct kp_child *child, bool on)
{
	kp_store_relaxed(&child->enabled, on);
	/* Atomic: the trap path disables a probe whose handler faulted. */
	if (on)
		kp_and_relaxed(&child->kp->flags, ~(u32)KPROBE_FLAG_DISABLED);
	else
		kp_or_relaxed(&child->kp->flags, (u32)KPROBE_FLAG_DISABLED);
	if (!on)
		kp_serve_disabled(child);
}

/* Should the site be armed, as far as its children are concerned? */
bool kp_site_wanted(const struct kp_site *site)
{
	struct kp_child *child;

	for (child = site->children; child; child = child->next)
		if (child->enabled)
			return true;
	return false;
}
