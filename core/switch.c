/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * switch.c - all probes on or off.
 *
 * Owns: the effects of the global switch (K-KNB-20 to 28).  It changes text, never a probe's own
 * enabled or disabled state.
 *
 * Locks: the registry lock.
 */
#include "batch.h"
#include "breakpoint.h"
#include "busy.h"
#include "children.h"
#include "knobs.h"
#include "optimize.h"
#include "table.h"
#include "wprobe.h"

static int switch_all(bool on)
{
	struct kp_batch batch = { NULL, NULL };
	struct kp_site *site;
	int err, of_watched = kp_wprobe_switch_all(on);

	/* A jump without an enabled child goes as well. */
	for (site = kp_table_next(NULL); site; site = kp_table_next(site))
		if (kp_site_wanted(site) || site->state == KP_SITE_ARMED)
			kp_batch_add(&batch, site);
	err = on ? kp_breakpoints_arm(&batch) : kp_breakpoints_disarm(&batch);
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

	if (kp_in_handler())
		return -EDEADLK;
	kp_host_lock(KP_LOCK_REGISTRY);
	if (kp_core_enabled() != on) {
		kp_knob_set_enabled(on);
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
