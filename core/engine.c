/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * engine.c - shutdown of the engine.
 *
 * Owns: the order in which the parts end.  After kp_core_clear none of our patches is left in
 * the text.  After kp_core_stop no memory of ours is in use, unless it returns -EBUSY.
 */
#include "engine.h"
#include "batch.h"
#include "blacklist.h"
#include "breakpoint.h"
#include "children.h"
#include "gone.h"
#include "head.h"
#include "optimize.h"
#include "place.h"
#include "register.h"
#include "retprobe.h"
#include "slot.h"
#include "table.h"
#include "wprobe.h"
#include "writes.h"

/* Is text of it still ours? */
static bool is_left(const struct kp_site *site)
{
	return site->state == KP_SITE_ARMED || site->tracer_claimed;
}

static bool any_left(bool only_traced)
{
	const struct kp_site *site;

	for (site = kp_table_next(NULL); site; site = kp_table_next(site))
		if (is_left(site) && (site->tracer || !only_traced))
			return true;
	return false;
}

/* Once, until all are removed: who stops the engine tries again and again. */
static void tell_failed(int err)
{
	static bool told;

	if (err && !told)
		kp_host_log(KP_LOG_ERROR,
			    "kprobes: some probed places cannot be restored yet: error %d",
			    err);
	told = err;
}

/*
 * Detach every child and disarm every site; kp_core_clear frees the dead, to
 * whose list arg points.
 */
static int detach_all(void *arg)
{
	struct kp_batch disarm = { NULL, NULL };
	struct kp_child *child, **dead = arg;
	struct kp_site *site;
	int err;

	for (site = kp_table_next(NULL); site; site = kp_table_next(site)) {
		while ((child = site->children)) {
			kp_child_unlink(child);
			child->hash_next = *dead;
			*dead = child;
		}
		if (is_left(site))
			kp_batch_add(&disarm, site);
	}
	err = disarm.first ? kp_breakpoints_disarm(&disarm) : 0;
	/* Somebody else's breakpoint stands on a jump, which was said. */
	if (err == -EBUSY)
		err = 0;
	tell_failed(err);
	return err;
}

int kp_core_clear(void)
{
	struct kp_child *dead;
	bool traced;
	int err;

	kp_host_lock(KP_LOCK_REGISTRY);
	dead = kp_probe_take_lingering();
	err = kp_table_next(NULL) ? kp_host_patching(detach_all, &dead) : 0;
	kp_wprobe_detach_all(&dead);
	traced = any_left(true);
	kp_host_unlock(KP_LOCK_REGISTRY);
	if (!traced)
		kp_host_tracer_stop();
	kp_host_wait_handlers();
	while (dead) {
		struct kp_child *next = dead->hash_next;

		kp_host_free(dead);
		dead = next;
	}
	kp_wprobe_bury();
	/* Nothing waits any more, and what comes later is put off anew. */
	kp_core_flush();
	kp_host_defer_stop();
	kp_core_on_deferred();
	return err;
}

bool kp_engine_left(void)
{
	bool left;

	kp_host_lock(KP_LOCK_REGISTRY);
	left = any_left(false);
	kp_host_unlock(KP_LOCK_REGISTRY);
	return left;
}

/* No reader is left, nor anybody in a head or a slot. */
void kp_engine_free(void)
{
	kp_head_stop();
	kp_slot_stop();
	kp_host_lock(KP_LOCK_REGISTRY);
	kp_optimize_stop();
	kp_gone_stop();
	kp_table_stop(kp_site_free);
	kp_writes_stop();
	kp_host_unlock(KP_LOCK_REGISTRY);
}

int kp_core_stop(void)
{
	int err;

	kp_core_clear();
	if (kp_engine_left())
		return -EBUSY;
	err = kp_return_stop();
	/* In this order: heads lead to slots, not the other way. */
	if (!err)
		err = kp_place_wait();
	if (!err)
		err = kp_slot_wait();
	if (err)
		return err;
	kp_engine_free();
	kp_host_lock(KP_LOCK_REGISTRY);
	kp_blacklist_stop();
	kp_host_unlock(KP_LOCK_REGISTRY);
	return 0;
}
