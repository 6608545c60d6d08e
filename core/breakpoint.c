/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * breakpoint.c - breakpoints in the text.
 *
 * Owns: arming and disarming a site, whatever is in its text: a breakpoint, a jump that has
 * replaced it (jump.c), or the tracer's site (tracer.c).
 * Invariant: a site's bytes are the original ones, an armed breakpoint or a jump (jump.c).
 * Bytes that we did not leave there are never overwritten.  A site that is taken has somebody
 * else's breakpoint, which looks like ours.
 *
 * A batch costs a constant number of core synchronisations, however many sites it has.
 * tests/protocol/patch.pml models the protocol.  The comments here name its steps.
 *
 * Locks: the registry lock is held; takes the text lock inside it.
 */
#include "breakpoint.h"
#include "batch.h"
#include "tracer.h"
#include "jumps.h"
#include "patches.h"
#include "queue.h"

/* Of the batch under way; text lock. */
static int first_err;
static struct kp_site *settling;	/* what leaves ARMED */
static bool overwritten;

static bool text_is(uintptr_t addr, const uint8_t *bytes, size_t len)
{
	uint8_t now[KP_ARCH_INSN_MAX];

	return !kp_host_text_read(now, addr, len) && !memcmp(now, bytes, len);
}

/* Those that are armed already have nothing to do with arming. */
static void keep_idle(struct kp_batch *batch)
{
	struct kp_batch idle = { NULL, NULL };
	struct kp_site *site;

	while ((site = kp_batch_pop(batch)))
		if (site->state == KP_SITE_IDLE)
			kp_batch_add(&idle, site);
	kp_batch_sort(&idle);
	*batch = idle;
}

/* Those that failed are IDLE again. */
static void armed(struct kp_site *site, int err)
{
	if (!err) {
		kp_queue_follow(site);
		return;
	}
	first_err = first_err ? first_err : err;
	/* Pairs with own_site(): nothing was written, so no trap there is ours. */
	kp_store_release(&site->state, KP_SITE_IDLE);
}

static void put_breakpoint(struct kp_site *site)
{
	if (!text_is(site->addr, site->original, site->arch.len) ||
	    kp_host_others(site->addr, site->arch.len)) {
		first_err = first_err ? first_err : -EBUSY;
		return;
	}
	site->taken = false;
	/* Pairs with the acquire in kp_core_on_trap. */
	kp_store_release(&site->state, KP_SITE_ARMED);
	kp_patches_put(site, 0, kp_arch_bp_of(&site->arch), kp_arch_bp_len_of(&site->arch));
}

/*
 * Arm every site of the batch that is idle.
 * 0. Their slots are committed.  Jumps that span one of them are turned back into breakpoints.    ARM_0
 * 1. The site says ARMED, so that a trap finds its owner.             ARM_1
 * 2. Breakpoints are written.                                         ARM_2
 * 3. All cores are synchronised.                                      ARM_SYNC
 * 0, or the first errno; sites that failed are IDLE again.
 * -EBUSY: the instruction is no longer the one that was prepared, or another
 * engine has a probe there by now.
 */
int kp_breakpoints_arm(struct kp_batch *batch)
{
	struct kp_site *site;
	int err = kp_tracer_arm(batch), last;

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	keep_idle(batch);
	if (!batch->first)
		return err;
	last = kp_host_exec_commit();
	if (!last)
		last = kp_queue_clear(batch);
	if (last) {
		kp_batch_clear(batch);
		return last;
	}
	kp_patches_begin(armed);
	first_err = err;
	while ((site = kp_batch_pop(batch)))
		put_breakpoint(site);
	kp_patches_sync();
	err = first_err;
	kp_patches_end();
	return err;
}

static void disarmed(struct kp_site *site, int err)
{
	if (err) {
		first_err = first_err ? first_err : err;
		return;
	}
	site->batch_next = settling;
	settling = site;
}

static void put_original(struct kp_site *site)
{
	unsigned int len = kp_arch_bp_len_of(&site->arch);

	if (!site->taken && text_is(site->addr, kp_arch_bp_of(&site->arch), len)) {
		kp_patches_put(site, 0, site->original, len);
		return;
	}
	kp_host_log(KP_LOG_WARN,
		    "kprobes: the breakpoint at 0x%lx was overwritten by someone else; left alone",
		    (unsigned long)site->addr);
	overwritten = true;
	disarmed(site, 0);
}

/* All of them leave ARMED after one synchronisation. */
static void settle(void)
{
	struct kp_site *site;

	while ((site = settling)) {
		settling = site->batch_next;
		site->batch_next = NULL;
		/* After the sync: a trap that finds IDLE re-reads the text. */
		kp_store_release(&site->state, KP_SITE_IDLE);
		kp_queue_settled(site);
	}
}

/*
 * Armed, but the original instruction stands there: somebody has put it back, and traps
 * that are still on their way try again.  The site is IDLE, and can be armed.
 */
bool kp_breakpoint_in_vain(struct kp_site *site)
{
	kp_host_assert_locked(KP_LOCK_REGISTRY);
	if (site->state != KP_SITE_ARMED || site->tracer || site->jump == KP_JUMP_IN ||
	    !text_is(site->addr, site->original, site->arch.len))
		return false;
	/* Pairs with own_site(). */
	kp_store_release(&site->state, KP_SITE_IDLE);
	return true;
}

/*
 * Disarm every site of the batch that is armed.
 * 0. Jumps are turned back into breakpoints.                          DISARM_0
 * 1. Original bytes are written, unless somebody else changed ours.   DISARM_1
 * 2. All cores are synchronised.                                      DISARM_SYNC
 * 3. The site says IDLE.                                              DISARM_2
 * 0, or the first errno; a site whose write failed stays ARMED, which is safe:
 * its hits pass through.
 */
int kp_breakpoints_disarm(struct kp_batch *batch)
{
	struct kp_site *site;
	int err = kp_tracer_disarm(batch), last;

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	kp_batch_sort(batch);
	last = kp_jump_remove(batch);
	kp_patches_begin(disarmed);
	first_err = err ? err : last;
	while ((site = kp_batch_pop(batch)))
		if (site->state == KP_SITE_ARMED && site->jump != KP_JUMP_IN)
			put_original(site);
	kp_patches_sync();
	if (overwritten)
		kp_host_sync_cores();
	overwritten = false;
	settle();
	err = first_err;
	kp_patches_end();
	return err;
}
