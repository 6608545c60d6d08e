/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * optimize.c - from breakpoints to jumps and back.
 *
 * Owns: when a site gets its jump and when it loses it: the queue, the worker
 * and the knob (K-OPT, K-KNB-50 to 58).
 *
 *   breakpoint --follow--> queued --worker--> jump
 *   jump, no enabled child left --follow--> queued --worker--> original text
 *   jump, a site inside its span is armed --clear, at once--> breakpoint
 *   jump, all probes or optimization switched off --at once--> breakpoint
 *
 * While a site is queued its text stays as it is, which is always right: a
 * breakpoint instead of a jump is slower, a jump whose children are disabled
 * calls none of them.  So enabling and disabling an optimized probe costs
 * nothing but the flags, and when both happen between two runs of the worker,
 * no text changes at all.
 *
 * Where the host cannot put work off, it is done at the end of each call.
 *
 * Locks: the registry lock.
 */
#include "site.h"

#define DELAY_MS 20

static bool optimization;		/* the knob; lock-free readers */
static struct kp_site *queue;
static struct kp_site *later;		/* for the next run; while one works */
static bool deferred;			/* the host will call the worker */
static size_t blocked_nr;		/* sites with opt_blocked */

/* ---- what is right for a site --------------------------------------------------- */

/* An armed site inside the jump's span keeps it out (K-OPT-30). */
static bool is_blocked(const struct kp_site *site, unsigned int len)
{
	unsigned int i;

	for (i = 1; i < len; i++) {
		const struct kp_site *inner = kp_table_find(site->addr + i);

		if (inner && inner->state == KP_SITE_ARMED)
			return true;
	}
	return false;
}

static bool wants_text(const struct kp_site *site)
{
	return kp_site_wanted(site) && kp_core_enabled();
}

static bool wants_jump(const struct kp_site *site)
{
	return optimization && !site->opt_failed && !site->hooked &&
	       wants_text(site);
}

/* Would the worker do anything about it? */
static bool is_due(const struct kp_site *site)
{
	if (site->state != KP_SITE_ARMED)
		return false;
	if (!wants_text(site))
		return true;
	if (site->jump == KP_JUMP_IN)
		return !optimization;
	return wants_jump(site) && !site->opt_blocked;
}

/* A user learns the first reason; before, if it has passed, is taken back. */
void kp_optimize_explain(struct kp_site *site, const char *before)
{
	struct kp_child *child;

	for (child = site->children; child; child = child->next)
		if (child->kp->reason == before)
			child->kp->reason = site->why_not;
}

static void block(struct kp_site *site, bool on)
{
	const char *before = site->why_not;

	if (site->opt_blocked == on)
		return;
	site->opt_blocked = on;
	site->why_not = on ? "another probe is under the jump" : NULL;
	blocked_nr += on ? 1 : (size_t)-1;
	kp_optimize_explain(site, on ? NULL : before);
}

/* ---- the queue -------------------------------------------------------------------- */

static void push(struct kp_site **list, struct kp_site *site)
{
	if (site->opt_queued)
		return;
	site->opt_queued = true;
	site->opt_next = *list;
	*list = site;
}

static struct kp_site *pop(struct kp_site **list)
{
	struct kp_site *site = *list;

	if (site) {
		*list = site->opt_next;
		site->opt_next = NULL;
		site->opt_queued = false;
	}
	return site;
}

void kp_optimize_follow(struct kp_site *site)
{
	site->opt_fresh = true;
	if (is_due(site))
		push(&queue, site);
}

/* Those whose span it may have been in are free to jump (K-OPT-33, 34). */
void kp_optimize_settled(struct kp_site *site)
{
	unsigned int back;

	block(site, false);
	for (back = 1; blocked_nr && back < KP_ARCH_JUMP_MAX; back++) {
		struct kp_site *outer = kp_table_find(site->addr - back);

		if (!outer || !outer->opt_blocked)
			continue;
		block(outer, false);
		kp_optimize_follow(outer);
	}
}

/* Jumps that span one of the batch's sites (K-OPT-49). */
int kp_optimize_clear(struct kp_batch *batch)
{
	struct kp_batch outers = { NULL, NULL };
	struct kp_site *site;
	unsigned int back;
	int err;

	for (site = batch->first; kp_jump_nr() && site; site = site->batch_next)
		for (back = 1; back < KP_ARCH_JUMP_MAX; back++) {
			struct kp_site *outer = kp_table_find(site->addr - back);

			if (outer && outer->jump == KP_JUMP_IN &&
			    back < outer->detour->jump.len)
				kp_batch_add(&outers, outer);
		}
	err = kp_jump_remove(&outers);
	/* They are blocked now; the worker finds that out. */
	while ((site = kp_batch_pop(&outers)))
		kp_optimize_follow(site);
	return err;
}

/* ---- the worker ------------------------------------------------------------------- */

/* What the list is to show or the worker is about to write. */
static bool is_ready(struct kp_site *site)
{
	if (!wants_jump(site) || site->state != KP_SITE_ARMED ||
	    site->jump == KP_JUMP_IN)
		return false;
	/* No jump is shorter than this, so there is nothing to plan. */
	if (!site->detour && is_blocked(site, KP_ARCH_JUMP_MIN)) {
		block(site, true);
		return false;
	}
	if (!kp_plan(site)) {
		kp_optimize_explain(site, NULL);
		return false;
	}
	kp_head_suit(site);
	block(site, is_blocked(site, site->detour->jump.len));
	return !site->opt_blocked;
}

/*
 * Sites that are to lose something go to a batch.  One that changed since the
 * last run may change again soon: it waits for the next one, unless force.
 */
static void sort_out(struct kp_batch *jumps, struct kp_batch *breakpoints,
		     struct kp_batch *candidates, bool force)
{
	struct kp_site *site, *todo = NULL;

	while ((site = pop(&queue)))
		push(&todo, site);
	while ((site = pop(&todo))) {
		if (!is_due(site) || site->queued)
			continue;
		if (!wants_text(site) && site->opt_fresh && !force) {
			site->opt_fresh = false;
			push(&later, site);
		} else if (!wants_text(site)) {
			kp_batch_add(breakpoints, site);
		} else if (site->jump == KP_JUMP_IN) {
			kp_batch_add(jumps, site);
		} else {
			kp_batch_add(candidates, site);
		}
	}
}

static int write_jumps(struct kp_batch *candidates)
{
	struct kp_batch ready = { NULL, NULL };
	struct kp_site *site;

	kp_plan_reset();
	kp_batch_sort(candidates);
	while ((site = kp_batch_pop(candidates)))
		if (is_ready(site))
			kp_batch_add(&ready, site);
	return kp_jump_write(&ready);
}

/*
 * 1. Jumps that are no longer wanted are removed, breakpoints too where no
 *    child is enabled.
 * 2. Whoever waited for that is queued, and joins in.
 * 3. Jumps are planned and written.
 * 4. What may change again soon is queued for the next run.
 */
static int work_patching(void *arg)
{
	bool force = *(bool *)arg;
	struct kp_batch jumps = { NULL, NULL }, breakpoints = { NULL, NULL };
	struct kp_batch candidates = { NULL, NULL };
	struct kp_site *site;
	int err, last;

	sort_out(&jumps, &breakpoints, &candidates, force);
	err = kp_jump_remove(&jumps);
	kp_batch_clear(&jumps);
	last = kp_patch_disarm(&breakpoints);
	err = last ? last : err;
	sort_out(&jumps, &breakpoints, &candidates, force);
	last = kp_jump_remove(&jumps);
	kp_batch_clear(&jumps);
	err = last ? last : err;
	last = kp_patch_disarm(&breakpoints);
	err = last ? last : err;
	last = write_jumps(&candidates);
	while ((site = pop(&later)))
		push(&queue, site);
	return last ? last : err;
}

static int work(bool force)
{
	return kp_host_patching(work_patching, &force);
}

/* What has failed is not queued again, so this ends. */
static int work_now(void)
{
	int err = 0, last;

	while (queue) {
		last = work(true);
		err = last ? last : err;
	}
	return err;
}

void kp_optimize_kick(void)
{
	if (!queue || deferred)
		return;
	deferred = !kp_host_defer(DELAY_MS);
	if (!deferred)
		work_now();
}

void kp_core_on_deferred(void)
{
	kp_host_lock(KP_LOCK_REGISTRY);
	deferred = false;
	if (queue)
		work(false);
	kp_optimize_kick();
	kp_host_unlock(KP_LOCK_REGISTRY);
}

void kp_core_flush(void)
{
	if (kp_probe_in_handler())
		return;
	kp_host_lock(KP_LOCK_REGISTRY);
	work_now();
	kp_host_unlock(KP_LOCK_REGISTRY);
}

/* ---- the knob, the list, the end --------------------------------------------------- */

bool kp_core_optimization(void)
{
	return kp_load_relaxed(&optimization);
}

static int switch_to(bool on)
{
	struct kp_site *site;

	kp_store_relaxed(&optimization, on);
	for (site = kp_table_next(NULL); site; site = kp_table_next(site)) {
		/* There may be memory now. */
		site->opt_failed &= !on;
		kp_optimize_follow(site);
	}
	kp_host_log(KP_LOG_INFO, on ?
		    "kprobes: kprobe jump-optimization is enabled. All kprobes are optimized if possible." :
		    "kprobes: kprobe jump-optimization is disabled. All kprobes are based on software breakpoint.");
	return on ? 0 : work_now();
}

int kp_core_set_optimization(bool on)
{
	int err = 0;

	if (kp_probe_in_handler())
		return -EDEADLK;
	kp_host_lock(KP_LOCK_REGISTRY);
	if (optimization != on)
		err = switch_to(on);
	kp_optimize_kick();
	kp_host_unlock(KP_LOCK_REGISTRY);
	return err;
}

/* Plan what is queued, so that the list says what will be (K-OPT-41). */
void kp_optimize_plan(void)
{
	struct kp_site *site;

	kp_plan_reset();
	for (site = queue; site; site = site->opt_next)
		is_ready(site);
}

bool kp_optimize_shown(const struct kp_site *site)
{
	if (site->state != KP_SITE_ARMED)
		return false;
	return site->jump == KP_JUMP_IN ||
	       (site->opt_queued && site->detour && !site->opt_blocked &&
		wants_jump(site));
}

/* All sites are disarmed, or gone, and no worker runs. */
void kp_optimize_stop(void)
{
	while (pop(&queue))
		;
	kp_store_relaxed(&optimization, false);
	deferred = false;
	blocked_nr = 0;
}
