/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * unload.c - text and memory that are unloaded.
 *
 * Owns: the consequences for sites, for watched memory and for what is known about handlers.
 *
 * Locks: takes the registry lock.
 */
#include "gone.h"
#include "handler.h"
#include "tracer.h"
#include "optimize.h"
#include "table.h"
#include "wprobe.h"

void kp_core_on_text_gone(uintptr_t start, size_t len)
{
	struct kp_site *site, *next;
	bool any = false;

	kp_host_lock(KP_LOCK_REGISTRY);
	kp_tracer_text_gone(start, len);
	kp_wprobe_memory_gone(start, len);
	kp_handlers_forget();
	for (site = kp_table_next(NULL); site; site = next) {
		next = kp_table_next(site);
		if (site->addr - start < len) {
			kp_gone_add(site);
			any = true;
		}
	}
	if (any) {
		kp_host_wait_handlers();
		kp_gone_prune();
	}
	kp_optimize_kick();
	kp_host_unlock(KP_LOCK_REGISTRY);
}
