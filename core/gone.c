/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * gone.c - sites whose text was unloaded.
 *
 * Owns: these sites.  They leave the table, so the address can be probed again when other text
 * is loaded there (K-MOD-05).  Their text is never touched again.  They stay here until their
 * last child is unregistered.
 *
 * Locks: the registry lock.
 */
#include "gone.h"
#include "children.h"
#include "head.h"
#include "jumps.h"
#include "queue.h"
#include "table.h"

static struct kp_site *gone;		/* with children; chained by batch_next */
static struct kp_site *buried;		/* without, until the engine stops */

struct kp_site *kp_gone_first(void)
{
	return gone;
}

/* Out of the table; the text that it was made for is no more. */
void kp_gone_add(struct kp_site *site)
{
	struct kp_child *child;

	kp_table_remove(site);
	/* Pairs with own_site(): who had found the site by then leaves the trap alone. */
	kp_store_release(&site->state, KP_SITE_GONE);
	kp_jump_forget(site);
	kp_queue_settled(site);
	for (child = site->children; child; child = child->next)
		/*
		 * A handler that faults sets another one meanwhile.  And the user may have gone
		 * before, without a word.
		 */
		if (kp_child_struct_there(child))
			kp_or_relaxed(&child->kp->flags, (u32)KPROBE_FLAG_GONE);
	site->batch_next = gone;
	gone = site;
}

/*
 * Forget gone sites that have no child left.  A reader may still hold such a
 * site through its slot, so the node itself stays allocated until the engine
 * stops; it is small, and there are at most as many as probes were lost.
 */
void kp_gone_prune(void)
{
	struct kp_site **link = &gone;

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	while (*link) {
		struct kp_site *site = *link;

		if (site->children) {
			link = &site->batch_next;
			continue;
		}
		*link = site->batch_next;
		site->batch_next = buried;
		buried = site;
	}
}

static void pin(struct kp_site *site)
{
	for (; site; site = site->batch_next)
		site->pinned = true;
}

void kp_gone_pin(void)
{
	pin(gone);
	pin(buried);
}

void kp_site_free(struct kp_site *site)
{
	kp_head_free(site);
	kp_host_free(site);
}

/* No reader is left: free everything. */
void kp_gone_stop(void)
{
	kp_gone_prune();
	while (buried) {
		struct kp_site *site = buried;

		buried = site->batch_next;
		kp_site_free(site);
	}
}
