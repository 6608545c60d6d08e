/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * knobs.c - the global switches.
 *
 * Owns: whether probes are armed at all (K-KNB-20 to 28).  Switching changes
 * text, never a probe's own enabled or disabled state.
 *
 * Locks: the registry lock.
 */
#include "wprobe.h"

static bool enabled = true;

bool kp_knob_enabled_locked(void)
{
	kp_host_assert_locked(KP_LOCK_REGISTRY);
	return enabled;
}

bool kp_core_enabled(void)
{
	return kp_load_relaxed(&enabled);
}

static int switch_all(bool on)
{
	struct kp_batch batch = { NULL, NULL };
	struct kp_site *site;
	int err, of_watched = kp_wprobe_switch_all(on);

	/* A jump without an enabled child goes as well. */
	for (site = kp_table_next(NULL); site; site = kp_table_next(site))
		if (kp_site_wanted(site) || site->state == KP_SITE_ARMED)
			kp_batch_add(&batch, site);
	err = on ? kp_patch_arm(&batch) : kp_patch_disarm(&batch);
	return err ? err : of_watched;
}

/* How many of the sites that should have followed did not. */
static void complain(bool on, int err)
{
	size_t wanted = 0, failed = 0;
	struct kp_site *site;

	for (site = kp_table_next(NULL); site; site = kp_table_next(site)) {
		if (!kp_site_wanted(site))
			continue;
		wanted++;
		failed += (site->state == KP_SITE_ARMED) != on;
	}
	kp_host_log(KP_LOG_WARN,
		    "kprobes: %lu out of %lu probed places could not be %s (error %d)",
		    (unsigned long)failed, (unsigned long)wanted,
		    on ? "armed" : "disarmed", err);
}

int kp_core_set_enabled(bool on)
{
	int err = 0;

	if (kp_probe_in_handler())
		return -EDEADLK;
	kp_host_lock(KP_LOCK_REGISTRY);
	if (enabled != on) {
		kp_store_relaxed(&enabled, on);
		err = switch_all(on);
		if (err)
			complain(on, err);
		kp_host_log(KP_LOG_INFO, "kprobes: Kprobes globally %s",
			    on ? "enabled" : "disabled");
	}
	kp_optimize_kick();
	kp_host_unlock(KP_LOCK_REGISTRY);
	return err;
}
