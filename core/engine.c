/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * engine.c - start and stop of the whole engine.
 *
 * Owns: the order in which the parts begin and end.  After kp_core_stop no
 * text of ours is left patched, and no memory of ours is in use unless it says
 * -EBUSY.
 */
#include "retprobe.h"

int kp_core_start(void)
{
	return 0;
}

/* Detach every child and disarm every site; kp_core_clear frees the dead. */
static int detach_all(struct kp_child **dead)
{
	struct kp_batch disarm = { NULL, NULL };
	struct kp_child *child;
	struct kp_site *site;
	size_t armed = 0;
	int err;

	for (site = kp_table_next(NULL); site; site = kp_table_next(site)) {
		while ((child = site->children)) {
			kp_child_unlink(child);
			child->hash_next = *dead;
			*dead = child;
		}
		if (site->state == KP_SITE_ARMED) {
			kp_batch_add(&disarm, site);
			armed++;
		}
	}
	err = armed ? kp_patch_disarm(&disarm) : 0;
	/* Somebody else's breakpoint stands on a jump. */
	if (err == -EBUSY)
		return 0;
	if (err)
		kp_host_broken("some breakpoints could not be removed");
	return err;
}

int kp_core_clear(void)
{
	struct kp_child *dead = NULL;
	int err;

	kp_host_lock(KP_LOCK_REGISTRY);
	err = detach_all(&dead);
	kp_host_unlock(KP_LOCK_REGISTRY);
	kp_host_hook_stop();
	kp_host_wait_handlers();
	while (dead) {
		struct kp_child *next = dead->hash_next;

		kp_host_free(dead);
		dead = next;
	}
	/* Nothing waits any more, and what comes later is put off anew. */
	kp_core_flush();
	kp_host_defer_stop();
	kp_core_on_deferred();
	return err;
}

int kp_core_stop(void)
{
	int err;

	kp_core_clear();
	if (kp_jump_nr())
		return -EBUSY;
	err = kp_return_stop();
	/* In this order: heads lead to slots, not the other way. */
	if (!err)
		err = kp_place_wait();
	if (!err)
		err = kp_slot_wait();
	if (err)
		return err;
	kp_head_stop();
	kp_slot_stop();
	kp_host_lock(KP_LOCK_REGISTRY);
	kp_optimize_stop();
	kp_gone_stop();
	kp_table_stop();
	kp_blacklist_stop();
	kp_host_unlock(KP_LOCK_REGISTRY);
	return 0;
}
