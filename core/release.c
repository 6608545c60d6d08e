/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * release.c - freeing memory while the engine continues.
 *
 * Owns: what stays when the host knows all addresses that some thread is at or may return to.
 * Sites with such an address in their slot, chain or head are pinned; if there is one, all hubs
 * are.  Sites of calls that have not returned to a return probe are pinned too; if there is
 * one, all stubs are.  So are sites whose own text looks like a breakpoint.  The rest is freed.  Pinned sites are freed the next time, if no thread
 * can return to them then.
 *
 * Locks: takes the registry lock.
 */
#include "engine.h"
#include "gone.h"
#include "head.h"
#include "optimize.h"
#include "retired.h"
#include "place.h"
#include "retprobe.h"
#include "slot.h"
#include "stub.h"
#include "table.h"

void kp_core_rests(void (*each)(void *arg, uintptr_t base, size_t len),
		   void *arg)
{
	kp_core_slots(each, arg);
	kp_place_each(each, arg);
	kp_stub_each(each, arg);
}

static void unpin_all(void)
{
	struct kp_site *site;

	for (site = kp_table_next(NULL); site; site = kp_table_next(site))
		site->pinned = false;
}

/*
 * In a hub nobody can tell whose it was; nor in a stub, but none of them goes as long
 * as there are calls that have not returned.
 */
static int pin(uintptr_t addr)
{
	struct kp_site *site;
	uintptr_t start;

	if (kp_slot_empty(addr))
		return 0;
	site = kp_slot_site(addr);
	if (!site)
		site = kp_place_owner(addr, &start);
	if (!site)
		return kp_place_empty(addr) || kp_stub_has(addr) ? 0 : -EBUSY;
	site->pinned = true;
	return 0;
}

/*
 * A trap of its breakpoint may still be on its way.  Without the site it would be taken for a
 * trap of somebody else's breakpoint: the text looks as if one stood there (arch/x86/trap.c).
 */
static bool looks_armed(const struct kp_site *site)
{
	struct pt_regs regs = { 0 };

	kp_arch_set_pre_ip(&regs, site->addr);
	return kp_arch_breakpoint_stands(&regs, false, kp_host_text_read);
}

/* True: there are any. */
static bool pin_armed(void)
{
	struct kp_site *site;
	bool any = false;

	for (site = kp_table_next(NULL); site; site = kp_table_next(site))
		if (looks_armed(site))
			any = site->pinned = true;
	return any;
}

static int pin_all(const uintptr_t *kept, size_t nr, bool *any)
{
	int err = 0;
	size_t i;

	kp_host_lock(KP_LOCK_REGISTRY);
	unpin_all();
	for (i = 0; i < nr && !err; i++)
		err = pin(kept[i]);
	*any = pin_armed() || nr;
	kp_retired_pin();
	/* They have no text any more, and wait for the end. */
	kp_gone_pin();
	kp_host_unlock(KP_LOCK_REGISTRY);
	return err;
}

/* In this order: a slot says whose it was. */
static void free_others(void)
{
	struct kp_site *site, *next;

	kp_host_lock(KP_LOCK_REGISTRY);
	kp_optimize_stop();
	kp_slot_drop();
	for (site = kp_table_next(NULL); site; site = next) {
		next = kp_table_next(site);
		if (site->pinned)
			continue;
		kp_head_put(site);
		kp_table_remove(site);
		kp_site_free(site);
	}
	kp_place_drop();
	kp_host_unlock(KP_LOCK_REGISTRY);
}

int kp_core_release(const uintptr_t *kept, size_t nr)
{
	bool calls, any = false;
	int err;

	if (kp_engine_left())
		return -EBUSY;
	err = kp_return_stop();
	calls = err && kp_retired_any();
	if (!err || calls)
		err = pin_all(kept, nr, &any);
	if (err)
		return err;
	if (any || calls)
		free_others();
	else
		kp_engine_free();
	return 0;
}
