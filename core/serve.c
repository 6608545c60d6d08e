/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * serve.c - how the architecture's entry serves a site's hits without the core.
 *
 * Owns: what a site says about its children, for the architecture's entry to read.  site->lean,
 * lean_post and first say how far the entry can serve the site's hits without the core.  kept
 * replaces first if a handler needs vector registers, and calls is set only with lean.  At most
 * one of lean, lean_post, first and kept is set, with two exceptions.  With a lean filter, first
 * or kept is set too, for the hits that the filter lets through.  The same holds for any lean
 * child if the entry of a jump calls none (KP_ARCH_LEAN_HITS), since traps look at site->lean in
 * any case.
 *
 * Disabling a child on the trap path clears them without the lock.  kp_serve_follow, with the
 * lock, checks the child once more after it has stored one.  So one of the two sees the other.
 *
 * A child says what it needs before it is published.  From before then on, its site says at
 * least as much.  A hit that read less from the site before that skips the child (detour.c),
 * which is as if it had come earlier.
 *
 * Locks: the registry lock.
 */
#include "serve.h"
#include "children.h"

/* Where a post_handler's instruction is executed, if that is in the slot. */
static void know_step(struct kp_site *site)
{
	struct pt_regs regs = { 0 };

	site->step_known = true;
	if (!site->slot || site->arch.class == KP_ARCH_EMULATE)
		return;
	kp_arch_step_begin(&site->arch, &regs, site->slot, true);
	site->step = instruction_pointer(&regs);
}

/* A jprobe finds the registers that are kept: that is not for the entry. */
static bool may_be_run(const struct kp_child *child)
{
	return !kp_child_enabled(child) ||
	       (child->keep < KP_ARCH_KEEP_IMAGE && !kp_post_handler(child->kp));
}

/* Most lead there already. */
static void lead_to(struct kp_child *from, struct kp_child *next)
{
	/* Complete, for the entry, which follows run without a lock. */
	if (from->run != next)
		kp_store_release(&from->run, next);
}

/*
 * The one that runs first, if all that are enabled are pre_handlers alone; each leads
 * to the next one, for who comes from before it, too.  *keeps: some keep vectors.
 */
static struct kp_child *first_of(struct kp_site *site, bool *keeps)
{
	struct kp_child *child, *from = site->children, *first = NULL;

	for (child = site->children; child; child = child->next) {
		if (!may_be_run(child))
			return NULL;
		if (!kp_child_enabled(child) || !child->pre)
			continue;
		for (; from != child; from = from->next)
			lead_to(from, child);
		if (!first)
			first = child;
		*keeps |= child->keep != KP_ARCH_KEEP_NONE;
	}
	for (; first && from; from = from->next)
		lead_to(from, NULL);
	return first;
}

static struct kp_child *only_of(struct kp_site *site)
{
	struct kp_child *child, *only = NULL;

	for (child = site->children; child; child = child->next) {
		if (!kp_child_enabled(child))
			continue;
		if (only)
			return NULL;
		only = child;
	}
	return only;
}

static unsigned int disabled_nr;	/* how often a child was; atomic */

/* Pairs with kp_serve_disabled. */
static void store(struct kp_child **field, struct kp_child *child)
{
	/* Release: the child is complete, and the site's other fields are. */
	kp_store_release(field, child);
	kp_fence_full();
	/* Who disables a child stores that first: one of the two takes it away. */
	if (child && !kp_child_enabled(child))
		kp_store_release(field, NULL);
}

/* Together with site->lean, and before it. */
static void store_calls(struct kp_site *site, const struct kp_child *lean)
{
	kp_store_release(&site->calls, lean && lean->calls ? lean->pool : NULL);
}

void kp_serve_follow(struct kp_site *site)
{
	struct kp_child *only = only_of(site), *first = NULL;
	/*
	 * Pairs with the add in kp_serve_disabled, behind its fence: who sees that number
	 * sees the child off when he looks for it below.
	 */
	unsigned int before = kp_load_acquire(&disabled_nr);
	bool lean, post, keeps = false;

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	if (!site->step_known)
		know_step(site);
	post = only && only->lean_post && site->step;
	lean = only && only->lean && !only->lean_post;
	store_calls(site, lean ? only : NULL);
	store(&site->lean, lean ? only : NULL);
	/* As store_calls(). */
	if (!site->lean)
		kp_store_release(&site->calls, NULL);
	store(&site->lean_post, post ? only : NULL);
	if (!post && (!lean || only->filters || !KP_ARCH_LEAN_HITS))
		first = first_of(site, &keeps);
	store(&site->first, keeps ? NULL : first);
	store(&site->kept, keeps ? first : NULL);
	/* One in the middle went off meanwhile; store() has the fence. */
	if (kp_load_relaxed(&disabled_nr) != before) {
		kp_store_release(&site->first, NULL);
		kp_store_release(&site->kept, NULL);
	}
}

KP_TRAP_PATH void kp_serve_disabled(struct kp_child *child)
{
	struct kp_site *site = child->site;

	/* Who does not see the child off, sees the number change. */
	kp_fence_release();
	kp_add_relaxed(&disabled_nr, 1);
	/* Pairs with the one in store(). */
	kp_fence_full();
	if (kp_load_relaxed(&site->lean) == child) {
		kp_store_release(&site->lean, NULL);
		kp_store_release(&site->calls, NULL);
	}
	if (kp_load_relaxed(&site->lean_post) == child)
		kp_store_release(&site->lean_post, NULL);
	/* It may be in the middle. */
	kp_store_release(&site->first, NULL);
	kp_store_release(&site->kept, NULL);
}

/* Before the child is linked. */
void kp_serve_add(struct kp_child *child)
{
	kp_host_assert_locked(KP_LOCK_REGISTRY);
	child->pre = child->kp->pre_handler;
	child->kind->know(child);
	/*
	 * Before the child is linked: a hit that finds the child has kept as much, or, if it
	 * read this earlier, does without it (may_run() in detour.c).
	 */
	if (child->keep > child->site->keep)
		kp_store_release(&child->site->keep, child->keep);
}

/*
 * Nothing was laid out, and not because of the one that was unlinked: nor is there
 * anything now, unless one alone is left.
 */
static bool changes_nothing(struct kp_site *site, const struct kp_child *gone)
{
	return !site->first && !site->kept && !site->lean && !site->lean_post &&
	       may_be_run(gone) && !only_of(site);
}

/* After gone was unlinked. */
void kp_serve_removed(struct kp_site *site, const struct kp_child *gone)
{
	struct kp_child *child;
	uint8_t keep = KP_ARCH_KEEP_NONE;

	/* Else nobody keeps any. */
	for (child = site->children; KP_VECTORS && child; child = child->next)
		if (child->keep > keep)
			keep = child->keep;
	/* After it was unlinked; pairs as in kp_serve_add. */
	kp_store_release(&site->keep, keep);
	if (!changes_nothing(site, gone))
		kp_serve_follow(site);
}
