/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * keep.c - what handlers need of a hit.
 *
 * Owns: what is known of handlers.  Saving vector registers costs several times
 * what the rest of a hit does, and few handlers use any; so each handler's code
 * is looked at, once, and all are kept unless it surely needs less (L14).  A
 * trap saves them anyway.
 *
 * The same look finds out whether a pre_handler only reads its struct pt_regs, or
 * does not even that: then there is nothing to undo when it faults, and a trap
 * needs no copy.
 *
 * The same look tells who is lean: uses so little that the architecture's entry
 * can call it with hardly anything saved.  site->lean, lean_post and first say how
 * far the entry can serve the site's hits without the core; at most one of them is
 * set, kept for the first of these, and calls only with lean; but with a lean filter
 * first or kept is, too, for the hits that it lets through.  Whoever disables a
 * child on the trap path clears them without the lock; kp_keep_follow, with it, looks
 * once more after it has stored one, so that one of the two sees the other.
 *
 * A child says what it needs before it is published, its site says at least as
 * much from before then on; a hit that read less of the site before that passes
 * the child by (detour.c), which is as good as if it had come earlier.
 *
 * Locks: the registry lock.
 */
#include "call.h"
#include "retprobe.h"

#define CACHE_NR 64u

struct known {
	uintptr_t fn;
	enum kp_arch_keep keep;
	bool lean;
};

static struct known cache[CACHE_NR];

struct known_reader {
	uintptr_t fn;
	bool spares;
};

static struct known_reader readers[CACHE_NR];

/* Handlers may be gone, and others in their place. */
void kp_keep_reset(void)
{
	memset(cache, 0, sizeof(cache));
	memset(readers, 0, sizeof(readers));
}

/* Our own functions, which handlers may call, are built for that. */
static bool is_ours(uintptr_t addr)
{
	struct kp_text_info info;

	kp_host_text_query(addr, 1, &info);
	return info.kind == KP_TEXT_ENGINE;
}

static bool constant_word(uintptr_t addr, uintptr_t *word)
{
	return kp_host_constant(addr, sizeof(*word)) &&
	       !kp_host_data_read(addr, word, sizeof(*word));
}

/*
 * A jprobe's entry is called with the function's own vector registers, so those
 * have to be there as soon as it uses any.
 */
static enum kp_arch_keep look_at_jprobe(uintptr_t entry)
{
	return kp_arch_purity(entry, kp_original_read, is_ours,
			      constant_word) == KP_ARCH_PURE_GPR ?
		       KP_ARCH_KEEP_NONE : KP_ARCH_KEEP_IMAGE;
}

static enum kp_arch_keep look(uintptr_t fn)
{
	if (is_ours(fn))
		return KP_ARCH_KEEP_NONE;
	switch (kp_arch_purity(fn, kp_original_read, is_ours, NULL)) {
	case KP_ARCH_PURE_GPR:
		return KP_ARCH_KEEP_NONE;
	case KP_ARCH_PURE_FEW:
		return KP_ARCH_KEEP_FEW;
	case KP_ARCH_PURE_LOW:
		return KP_ARCH_KEEP_LOW;
	default:
		return KP_ARCH_KEEP_ALL;
	}
}

/* A branch that may be switched on, to code that has not been looked at. */
static bool is_patched(uintptr_t addr, size_t len)
{
	struct kp_text_info info;

	kp_host_text_query(addr, len, &info);
	return info.kind == KP_TEXT_RESERVED;
}

static const struct known *known_of(uintptr_t fn)
{
	struct known *known = &cache[fn / 16 % CACHE_NR];

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	if (known->fn != fn) {
		known->lean = kp_arch_lean(fn, kp_original_read, is_patched);
		known->keep = known->lean || !kp_host_vectors_live() ?
				      KP_ARCH_KEEP_NONE : look(fn);
		known->fn = fn;
	}
	return known;
}

enum kp_arch_keep kp_keep_for(const void *handler)
{
	if (!handler || !kp_host_vectors_live())
		return KP_ARCH_KEEP_NONE;
	return known_of((uintptr_t)handler)->keep;
}

bool kp_keep_lean(const void *handler)
{
	return handler && known_of((uintptr_t)handler)->lean;
}

/* No handler is. */
static bool is_lean(const void *handler)
{
	return !handler || known_of((uintptr_t)handler)->lean;
}

/* Where its pre_handler is all that there is, and not lean itself. */
static bool can_filter(const struct kp_child *child)
{
	const struct kprobe *kp = child->kp;

	return child->letter == 'k' && kp->filter && kp->pre_handler &&
	       !kp->post_handler && !kp->fault_handler &&
	       !is_lean((const void *)kp->pre_handler) &&
	       is_lean((const void *)kp->filter);
}

static void know_lean(struct kp_child *child)
{
	const struct kprobe *kp = child->kp;

	child->pre = kp->pre_handler;
	/* Ours, and known to be. */
	if (child->letter == 'r') {
		child->lean = kp_return_lean(kp);
		child->calls = KP_CALLING_STUBS && child->lean;
		child->quiet = kp_return_quiet(kp);
		kp_return_linked(child);
	}
	if (can_filter(child)) {
		child->lean = kp->filter;
		child->filters = true;
		return;
	}
	if (child->letter != 'k' || !is_lean((const void *)kp->pre_handler) ||
	    !is_lean((const void *)kp->post_handler))
		return;
	child->lean = kp->pre_handler;
	child->lean_post = kp->post_handler;
	if (kp->fault_handler)
		return;
	child->bare = kp->pre_handler;
	if (!kp->post_handler)
		child->quiet = kp->pre_handler;
}

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

/* Pairs with kp_keep_disabled. */
static void store(struct kp_child **field, struct kp_child *child)
{
	/* Release: the child is complete, and the site's other fields are. */
	kp_store_release(field, child);
	kp_fence_full();
	if (child && !kp_child_enabled(child))
		kp_store_release(field, NULL);
}

/* Together with site->lean, and before it. */
static void store_calls(struct kp_site *site, const struct kp_child *lean)
{
	struct kp_pool *pool = NULL;

	if (lean && lean->calls)
		pool = kp_return_calls(lean);
	kp_store_release(&site->calls, pool);
}

void kp_keep_follow(struct kp_site *site)
{
	struct kp_child *only = only_of(site), *first = NULL;
	unsigned int before = kp_load_acquire(&disabled_nr);
	bool lean, post, keeps = false;

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	if (!site->step_known)
		know_step(site);
	post = only && only->lean_post && site->step;
	lean = only && only->lean && !only->lean_post;
	store_calls(site, lean ? only : NULL);
	store(&site->lean, lean ? only : NULL);
	if (!site->lean)
		kp_store_release(&site->calls, NULL);
	store(&site->lean_post, post ? only : NULL);
	if (!post && (!lean || only->filters))
		first = first_of(site, &keeps);
	store(&site->first, keeps ? NULL : first);
	store(&site->kept, keeps ? first : NULL);
	/* One in the middle went off meanwhile; store() has the fence. */
	if (kp_load_relaxed(&disabled_nr) != before) {
		kp_store_release(&site->first, NULL);
		kp_store_release(&site->kept, NULL);
	}
}

KP_TRAP_PATH void kp_keep_disabled(struct kp_child *child)
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

static enum kp_arch_keep of_probe(const struct kprobe *kp, char letter)
{
	enum kp_arch_keep pre, post;

	if (!kp_host_vectors_live())
		return KP_ARCH_KEEP_NONE;
	if (letter == 'j')
		return look_at_jprobe((uintptr_t)((const struct jprobe *)
				      (const void *)kp)->entry);
	if (letter == 'r')
		return kp_keep_for((const void *)((const struct kretprobe *)
				   (const void *)kp)->entry_handler);
	pre = kp_keep_for((const void *)kp->pre_handler);
	post = kp_keep_for((const void *)kp->post_handler);
	return pre > post ? pre : post;
}

static bool spares_regs(const void *handler)
{
	uintptr_t fn = (uintptr_t)handler;
	struct known_reader *known = &readers[fn / 16 % CACHE_NR];

	if (!fn)
		return true;
	if (known->fn != fn) {
		known->spares = kp_arch_spares_second(fn, kp_original_read,
						      is_patched);
		known->fn = fn;
	}
	return known->spares;
}

/* Ours change nothing: a return probe's has the user's called with the same. */
static bool only_reads(const struct kprobe *kp, char letter)
{
	if (letter == 'r')
		return spares_regs((const void *)((const struct kretprobe *)
				   (const void *)kp)->entry_handler);
	return letter == 'j' || spares_regs((const void *)kp->pre_handler);
}

/* Before the child is linked. */
void kp_keep_add(struct kp_child *child)
{
	kp_host_assert_locked(KP_LOCK_REGISTRY);
	if (only_reads(child->kp, child->letter))
		child->spares = child->kp->pre_handler;
	child->keep = (uint8_t)of_probe(child->kp, child->letter);
	know_lean(child);
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
void kp_keep_removed(struct kp_site *site, const struct kp_child *gone)
{
	struct kp_child *child;
	uint8_t keep = KP_ARCH_KEEP_NONE;

	/* Else nobody keeps any. */
	for (child = site->children; KP_VECTORS && child; child = child->next)
		if (child->keep > keep)
			keep = child->keep;
	kp_store_release(&site->keep, keep);
	if (!changes_nothing(site, gone))
		kp_keep_follow(site);
}
