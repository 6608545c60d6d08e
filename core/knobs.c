/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * knobs.c - the global switches.
 *
 * Owns: whether probes are armed at all (K-KNB-20 to 28), and whether they become jumps
 * (K-KNB-50 to 58).  switch.c and optimize.c act on a change.
 *
 * Locks: the registry lock to change; readers take none.
 */
#include "knobs.h"

static bool enabled = true;
static bool optimization;

bool kp_core_enabled(void)
{
	return kp_load_relaxed(&enabled);
}

void kp_knob_set_enabled(bool on)
{
	kp_host_assert_locked(KP_LOCK_REGISTRY);
	kp_store_relaxed(&enabled, on);
}

bool kp_core_optimization(void)
{
	return kp_load_relaxed(&optimization);
}

void kp_knob_set_optimization(bool on)
{
	kp_host_assert_locked(KP_LOCK_REGISTRY);
	kp_store_relaxed(&optimization, on);
}
