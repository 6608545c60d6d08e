/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * orphans.c - probes whose owner goes without having unregistered them.
 *
 * Owns: which probes those are, and dropping them.  A probe needs its user's struct and the
 * functions that this names; who goes takes what of these is his own along, and the next hit
 * would read or execute what is no more.  The struct may be there still, as on a heap or in
 * somebody else's module, or be gone already, as in a process: one that lies in the memory
 * that goes is not touched.
 *
 *   1. all children of the site that are concerned are off, so that nobody asks what they want
 *   2. each leaves the lists; its text follows, of all sites together
 *   3. without the lock: readers are waited for, the nodes are freed
 *
 * Locks: takes the registry lock.
 */
#include "batch.h"
#include "breakpoint.h"
#include "children.h"
#include "gone.h"
#include "kinds.h"
#include "optimize.h"
#include "register.h"
#include "retprobe.h"
#include "serve.h"
#include "table.h"
#include "watched.h"
#include "wprobe.h"

struct leaving {
	const char *owner;
	uintptr_t start;
	size_t len;
	struct kp_child *dead;
	unsigned int nr;
};

/* So many are told one by one. */
#define TOLD_MAX 100

static bool is_in(const struct leaving *leaving, uintptr_t addr)
{
	return addr - leaving->start < leaving->len;
}

/* ---- which they are ------------------------------------------------------------- */

/* Guarded by the registry lock. */
static union {
	struct kprobe kp;
	struct jprobe jp;
	struct kretprobe rp;
	struct wprobe wp;
} seen;

static bool struct_is_in(const struct leaving *leaving, const struct kp_child *child)
{
	uintptr_t at = (uintptr_t)child->kp;

	return is_in(leaving, at) || leaving->start - at < child->kind->len;
}

/*
 * One that cannot be read has gone before, and nobody knows whose it was: where a hit has
 * found that out, it goes with whoever goes next.
 */
static bool function_is_in(const struct leaving *leaving, const struct kp_child *child)
{
	const struct kprobe *kp = &seen.kp;
	uintptr_t fns[KP_KIND_FUNCTIONS];
	unsigned int i, nr = 0;

	/* As at registration; the user may have exchanged it since. */
	if (is_in(leaving, (uintptr_t)child->pre) ||
	    is_in(leaving, (uintptr_t)child->lean) ||
	    is_in(leaving, (uintptr_t)child->lean_post) ||
	    is_in(leaving, (uintptr_t)child->bare_post))
		return true;
	if (kp_host_data_read((uintptr_t)child->kp, &seen, child->kind->len))
		return !kp_child_enabled(child);
	if (child->kind->functions)
		nr = child->kind->functions(kp, fns);
	for (i = 0; i < nr; i++)
		if (is_in(leaving, fns[i]))
			return true;
	return is_in(leaving, (uintptr_t)kp->pre_handler) ||
	       is_in(leaving, (uintptr_t)kp->post_handler) ||
	       is_in(leaving, (uintptr_t)kp->fault_handler) ||
	       is_in(leaving, (uintptr_t)kp->break_handler) ||
	       is_in(leaving, (uintptr_t)kp->filter);
}

static bool is_concerned(const struct leaving *leaving, const struct kp_child *child)
{
	return kp_child_shown(child) &&
	       (struct_is_in(leaving, child) || function_is_in(leaving, child));
}

/* ---- what becomes of them --------------------------------------------------------- */

static void tell(const struct leaving *leaving, const struct kp_site *site)
{
	static char symbol[KP_SYMBOL_MAX], module[KP_SYMBOL_MAX];
	uintptr_t start;
	size_t len;

	if (leaving->nr > TOLD_MAX)
		return;
	if (site->state == KP_SITE_GONE || kp_host_bounds(site->addr, &start, &len) ||
	    kp_host_describe(site->addr, symbol, sizeof(symbol), module, sizeof(module)))
		kp_host_log(KP_LOG_ERROR,
			    "kprobes: %s goes and has not unregistered its probe at 0x%lx; the probe is dropped",
			    leaving->owner, (unsigned long)site->addr);
	else
		kp_host_log(KP_LOG_ERROR,
			    "kprobes: %s goes and has not unregistered its probe at %s+0x%lx; the probe is dropped",
			    leaving->owner, symbol, (unsigned long)(site->addr - start));
}

/* Nothing of it is touched that lies in the memory. */
static void drop(struct leaving *leaving, struct kp_child *child)
{
	bool there = !struct_is_in(leaving, child) && kp_child_struct_there(child) &&
		     !kp_host_data_read((uintptr_t)child->kp, &seen, child->kind->len);

	kp_child_unlink(child);
	if (child->kind->orphaned)
		child->kind->orphaned(child, there);
	if (there) {
		if (child->kind->release)
			child->kind->release(child->kp);
		child->kp->flags |= KPROBE_FLAG_DISABLED;
		child->kp->ainsn.insn = NULL;
		child->kp->reason = "its handlers have gone; it was dropped";
	}
	child->hash_next = leaving->dead;
	leaving->dead = child;
}

/* True: some of the site's children were dropped. */
static bool look_at(struct leaving *leaving, struct kp_site *site)
{
	struct kp_child *child, *next;
	bool any = false;

	for (child = site->children; child; child = child->next) {
		if (!is_concerned(leaving, child))
			continue;
		any = true;
		leaving->nr++;
		tell(leaving, site);
		/* Whom serve.c may have laid out is taken back with it. */
		kp_child_disable_gone(child);
	}
	if (!any)
		return false;
	for (child = site->children; child; child = next) {
		next = child->next;
		/* Some were off before: it is asked again. */
		if (!kp_child_enabled(child) && is_concerned(leaving, child))
			drop(leaving, child);
	}
	return true;
}

static int drop_all(void *arg)
{
	struct kp_batch disarm = { NULL, NULL };
	struct leaving *leaving = arg;
	struct kp_site *site, *next;

	for (site = kp_table_next(NULL); site; site = kp_table_next(site)) {
		if (!look_at(leaving, site))
			continue;
		/* What the last one's struct said was not asked any more. */
		kp_serve_follow(site);
		kp_probe_release_text(site, &disarm);
	}
	for (site = kp_gone_first(); site; site = site->batch_next)
		look_at(leaving, site);
	for (site = kp_wprobe_site(NULL); site; site = next) {
		next = kp_wprobe_site(site);
		look_at(leaving, site);
	}
	kp_breakpoints_disarm(&disarm);
	kp_gone_prune();
	kp_optimize_kick();
	return 0;
}

static bool any_of(const struct leaving *leaving, const struct kp_site *site)
{
	const struct kp_child *child;

	for (child = site->children; child; child = child->next)
		if (is_concerned(leaving, child))
			return true;
	return false;
}

static bool any(const struct leaving *leaving)
{
	const struct kp_site *site;

	for (site = kp_table_next(NULL); site; site = kp_table_next(site))
		if (any_of(leaving, site))
			return true;
	for (site = kp_gone_first(); site; site = site->batch_next)
		if (any_of(leaving, site))
			return true;
	for (site = kp_wprobe_site(NULL); site; site = kp_wprobe_site(site))
		if (any_of(leaving, site))
			return true;
	return false;
}

void kp_core_on_owner_gone(const char *owner, uintptr_t start, size_t len)
{
	struct leaving leaving = { .owner = owner, .start = start, .len = len };

	kp_host_lock(KP_LOCK_REGISTRY);
	if (!any(&leaving)) {
		kp_host_unlock(KP_LOCK_REGISTRY);
		return;
	}
	leaving.dead = kp_probe_take_lingering();
	kp_host_patching(drop_all, &leaving);
	kp_host_unlock(KP_LOCK_REGISTRY);
	if (leaving.nr > TOLD_MAX)
		kp_host_log(KP_LOG_ERROR, "kprobes: %s had not unregistered %u probes in all",
			    owner, leaving.nr);
	kp_probe_bury(leaving.dead);
	kp_wprobe_bury();
	kp_return_bury_orphans();
}
