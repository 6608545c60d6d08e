/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * queue.c - sites whose text has to follow what their users want.
 *
 * Owns: what is right for a site (a breakpoint, a jump or its original text); the queue of
 * sites whose text may have to change; and which sites a neighbour keeps from having a jump
 * (site->opt_blocked).  optimize.c processes the queue.
 *
 *   breakpoint --follow--> queued --worker--> jump
 *   jump, no enabled child left --follow--> queued --worker--> original text
 *   jump, a site inside its span is armed --clear, at once--> breakpoint
 *   jump, its head does not suit the children --follow--> queued --worker--> breakpoint, jump
 *
 * While a site is queued its text stays as it is.  That is always correct: a breakpoint instead
 * of a jump is slower, a jump whose children are disabled calls none of them, and each head
 * serves all children.  So enabling and disabling an optimized probe costs only the flags.  If
 * both happen between two runs of the worker, no text changes at all.
 *
 * Locks: the registry lock.
 */
#include "queue.h"
#include "batch.h"
#include "children.h"
#include "head.h"
#include "jumps.h"
#include "table.h"

struct kp_site *kp_queue;
static size_t blocked_nr;		/* sites with opt_blocked */

/* ---- what is right for a site --------------------------------------------------- */

/* An armed site inside the jump's span keeps it out (K-OPT-30). */
bool kp_queue_is_blocked(const struct kp_site *site, unsigned int len)
{
	unsigned int i;

	for (i = 1; i < len; i++) {
		const struct kp_site *inner = kp_table_find(site->addr + i);

		if (inner && inner->state == KP_SITE_ARMED)
			return true;
	}
	return false;
}

bool kp_queue_wants_text(const struct kp_site *site)
{
	return kp_site_wanted(site) && kp_core_enabled();
}

bool kp_queue_wants_jump(const struct kp_site *site)
{
	return kp_core_optimization() && !site->opt_failed && !site->tracer &&
	       kp_queue_wants_text(site);
}

/* Would the worker do anything about it? */
bool kp_queue_is_due(const struct kp_site *site)
{
	if (site->state != KP_SITE_ARMED)
		return false;
	if (!kp_queue_wants_text(site))
		return true;
	if (site->jump == KP_JUMP_IN)
		return !kp_core_optimization() ||
		       (kp_queue_wants_jump(site) && !kp_head_suits(site));
	return kp_queue_wants_jump(site) && !site->opt_blocked;
}

void kp_queue_block(struct kp_site *site, bool on)
{
	const char *before = site->why_not;

	if (site->opt_blocked == on)
		return;
	site->opt_blocked = on;
	site->why_not = on ? "another probe is under the jump" : NULL;
	blocked_nr += on ? 1 : (size_t)-1;
	kp_site_explain(site, on ? NULL : before);
}

/* ---- the queue -------------------------------------------------------------------- */

void kp_queue_push(struct kp_site **list, struct kp_site *site)
{
	if (site->opt_queued)
		return;
	site->opt_queued = true;
	site->opt_next = *list;
	*list = site;
}

struct kp_site *kp_queue_pop(struct kp_site **list)
{
	struct kp_site *site = *list;

	if (site) {
		*list = site->opt_next;
		site->opt_next = NULL;
		site->opt_queued = false;
	}
	return site;
}

void kp_queue_follow(struct kp_site *site)
{
	site->opt_fresh = true;
	if (kp_queue_is_due(site))
		kp_queue_push(&kp_queue, site);
}

/* Those whose span it may have been in are free to jump (K-OPT-33, 34). */
void kp_queue_settled(struct kp_site *site)
{
	unsigned int back;

	kp_queue_block(site, false);
	for (back = 1; blocked_nr && back < KP_ARCH_JUMP_MAX; back++) {
		struct kp_site *outer = kp_table_find(site->addr - back);

		if (!outer || !outer->opt_blocked)
			continue;
		kp_queue_block(outer, false);
		kp_queue_follow(outer);
	}
}

/* Jumps that span one of the batch's sites (K-OPT-49). */
int kp_queue_clear(struct kp_batch *batch)
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
		kp_queue_follow(site);
	return err;
}

/* All sites are disarmed, or gone, and no worker runs. */
void kp_queue_stop(void)
{
	while (kp_queue_pop(&kp_queue))
		;
	blocked_nr = 0;
}
