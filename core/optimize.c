/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * optimize.c - from breakpoints to jumps and back.
 *
 * Owns: the worker, which gives each site in the queue the text that is right for it
 * (queue.c), and the optimization knob (K-OPT, K-KNB-50 to 58), which turns jumps off at once.
 *
 * If the host cannot defer work, it is done at the end of each call.
 *
 * Locks: the registry lock.
 */
#include "optimize.h"
#include "batch.h"
#include "breakpoint.h"
#include "busy.h"
#include "children.h"
#include "head.h"
#include "jumps.h"
#include "knobs.h"
#include "plan.h"
#include "queue.h"
#include "table.h"

#define DELAY_MS 20

static struct kp_site *later;		/* for the next run; while one works */
static bool deferred;			/* the host will call the worker */

/* ---- the worker ------------------------------------------------------------------- */

/* What the list is to show or the worker is about to write. */
static bool is_ready(struct kp_site *site)
{
	if (!kp_queue_wants_jump(site) || site->state != KP_SITE_ARMED ||
	    site->jump == KP_JUMP_IN)
		return false;
	/* No jump is shorter than this, so there is nothing to plan. */
	if (!site->detour && kp_queue_is_blocked(site, KP_ARCH_JUMP_MIN)) {
		kp_queue_block(site, true);
		return false;
	}
	if (!kp_plan(site)) {
		kp_site_explain(site, NULL);
		return false;
	}
	kp_head_suit(site);
	kp_queue_block(site, kp_queue_is_blocked(site, site->detour->jump.len));
	return !site->opt_blocked;
}

/* Those that are to have another jump are queued again; what failed is not. */
static int remove_jumps(struct kp_batch *jumps)
{
	int err = kp_jump_remove(jumps);
	struct kp_site *site;

	while ((site = kp_batch_pop(jumps)))
		if (site->jump != KP_JUMP_IN)
			kp_queue_follow(site);
	return err;
}

/*
 * Sites that are to lose something go to a batch.  One that changed since the
 * last run may change again soon: it waits for the next one, unless force.
 */
static void sort_out(struct kp_batch *jumps, struct kp_batch *breakpoints,
		     struct kp_batch *candidates, bool force)
{
	struct kp_site *site, *todo = NULL;

	while ((site = kp_queue_pop(&kp_queue)))
		kp_queue_push(&todo, site);
	while ((site = kp_queue_pop(&todo))) {
		if (!kp_queue_is_due(site) || site->queued)
			continue;
		if ((!kp_queue_wants_text(site) || site->jump == KP_JUMP_IN) &&
		    site->opt_fresh && !force) {
			site->opt_fresh = false;
			kp_queue_push(&later, site);
		} else if (!kp_queue_wants_text(site)) {
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
 * 1. Jumps that are no longer wanted are removed, those to a head that does not
 *    suit too, and breakpoints where no child is enabled.
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
	err = remove_jumps(&jumps);
	last = kp_breakpoints_disarm(&breakpoints);
	err = last ? last : err;
	sort_out(&jumps, &breakpoints, &candidates, force);
	last = remove_jumps(&jumps);
	err = last ? last : err;
	last = kp_breakpoints_disarm(&breakpoints);
	err = last ? last : err;
	last = write_jumps(&candidates);
	while ((site = kp_queue_pop(&later)))
		kp_queue_push(&kp_queue, site);
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

	while (kp_queue) {
		last = work(true);
		err = last ? last : err;
	}
	return err;
}

void kp_optimize_kick(void)
{
	if (!kp_queue || deferred)
		return;
	deferred = !kp_host_defer(DELAY_MS);
	if (!deferred)
		work_now();
}

void kp_core_on_deferred(void)
{
	kp_host_lock(KP_LOCK_REGISTRY);
	deferred = false;
	if (kp_queue)
		work(false);
	kp_optimize_kick();
	kp_host_unlock(KP_LOCK_REGISTRY);
}

void kp_core_flush(void)
{
	if (kp_in_handler())
		return;
	kp_host_lock(KP_LOCK_REGISTRY);
	work_now();
	kp_host_unlock(KP_LOCK_REGISTRY);
}

/* ---- the knob, the list, the end --------------------------------------------------- */

static int switch_to(bool on)
{
	struct kp_site *site;

	kp_knob_set_optimization(on);
	for (site = kp_table_next(NULL); site; site = kp_table_next(site)) {
		/* There may be memory now. */
		site->opt_failed &= !on;
		kp_queue_follow(site);
	}
	kp_host_log(KP_LOG_INFO, on ?
		    "kprobes: kprobe jump-optimization is enabled. All kprobes are optimized if possible." :
		    "kprobes: kprobe jump-optimization is disabled. All kprobes are based on software breakpoint.");
	return on ? 0 : work_now();
}

int kp_core_set_optimization(bool on)
{
	int err = 0;

	if (kp_in_handler())
		return -EDEADLK;
	kp_host_lock(KP_LOCK_REGISTRY);
	if (kp_core_optimization() != on)
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
	for (site = kp_queue; site; site = site->opt_next)
		is_ready(site);
}

bool kp_optimize_shown(const struct kp_site *site)
{
	if (site->state != KP_SITE_ARMED)
		return false;
	return site->jump == KP_JUMP_IN ||
	       (site->opt_queued && site->detour && !site->opt_blocked &&
		kp_queue_wants_jump(site));
}

/* All sites are disarmed, or gone, and no worker runs. */
void kp_optimize_stop(void)
{
	kp_queue_stop();
	kp_knob_set_optimization(false);
	deferred = false;
}
