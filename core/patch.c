/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * patch.c - breakpoints in the text.
 *
 * Owns: arming and disarming, and the batches.
 * Invariant: a site's bytes are the original ones, an armed breakpoint or a jump
 * (jump.c), and bytes that are not what we left there are never overwritten.
 *
 * A batch costs a constant number of core synchronisations, however many sites
 * it has.  tests/protocol/patch.pml is the protocol as a model, which names its steps
 * as the comments here do.
 *
 * Locks: the registry lock is held; takes the text lock inside it.
 */
#include "site.h"

#define CHUNK 64

/* Guarded by the text lock. */
static struct kp_text_patch chunk[CHUNK];
static struct kp_site *chunk_site[CHUNK];

void kp_batch_add(struct kp_batch *batch, struct kp_site *site)
{
	kp_host_assert_locked(KP_LOCK_REGISTRY);
	if (site->queued)
		return;
	site->queued = true;
	site->batch_next = NULL;
	if (batch->first)
		batch->last->batch_next = site;
	else
		batch->first = site;
	batch->last = site;
}

struct kp_site *kp_batch_pop(struct kp_batch *batch)
{
	struct kp_site *site = batch->first;

	if (site) {
		batch->first = site->batch_next;
		site->batch_next = NULL;
		site->queued = false;
	}
	return site;
}

/* Forget the batch without touching the text. */
void kp_batch_clear(struct kp_batch *batch)
{
	while (kp_batch_pop(batch))
		;
}

/* Two ascending lists in one. */
static struct kp_site *merge(struct kp_site *a, struct kp_site *b)
{
	struct kp_site *first = NULL, **link = &first;

	while (a && b) {
		struct kp_site **from = a->addr < b->addr ? &a : &b;

		*link = *from;
		link = &(*from)->batch_next;
		*from = *link;
	}
	*link = a ? a : b;
	return first;
}

/*
 * By address: what is near is written at once, and what the host looks up for
 * one site, it knows for the next.  Runs are merged pairwise, those of 2^n
 * sites with their like, as bits carry in a counter.
 */
void kp_batch_sort(struct kp_batch *batch)
{
	struct kp_site *runs[64] = { NULL }, *site = batch->first, *run;
	unsigned int i;

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	if (batch->first == batch->last)
		return;
	while ((run = site)) {
		site = run->batch_next;
		run->batch_next = NULL;
		for (i = 0; runs[i]; i++) {
			run = merge(runs[i], run);
			runs[i] = NULL;
		}
		runs[i] = run;
	}
	for (i = 0; i < 64; i++)
		run = merge(runs[i], run);
	batch->first = run;
	for (batch->last = run; run; run = run->batch_next)
		batch->last = run;
}

static bool text_is(uintptr_t addr, const uint8_t *bytes, size_t len)
{
	uint8_t now[KP_ARCH_INSN_MAX];

	return !kp_host_text_read(now, addr, len) && !memcmp(now, bytes, len);
}

/*
 * How often states were set that make bytes ours: after they were, and before
 * such a byte can be in the text.
 */
static unsigned long changes;		/* text lock; lock-free readers */

void kp_patch_changing(void)
{
	/* Pairs with the acquire in kp_patch_changes. */
	kp_store_release(&changes, changes + 1);
}

KP_TRAP_PATH unsigned long kp_patch_changes(void)
{
	return kp_load_acquire(&changes);
}

static void chunk_put(size_t i, struct kp_site *site, const uint8_t *bytes)
{
	chunk_site[i] = site;
	chunk[i].addr = site->addr;
	chunk[i].len = KP_ARCH_BP_LEN;
	memcpy(chunk[i].bytes, bytes, KP_ARCH_BP_LEN);
	chunk[i].err = 0;
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
int kp_patch_arm(struct kp_batch *batch)
{
	struct kp_site *site = NULL;
	bool wrote = false;
	int err = kp_hook_arm(batch), last;

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	keep_idle(batch);
	if (!batch->first)
		return err;
	last = kp_host_exec_commit();
	if (!last)
		last = kp_optimize_clear(batch);
	if (last) {
		kp_batch_clear(batch);
		return last;
	}
	kp_host_lock(KP_LOCK_TEXT);
	do {
		size_t nr = 0, i;

		while (nr < CHUNK && (site = kp_batch_pop(batch))) {
			if (!text_is(site->addr, site->original, site->arch.len) ||
			    kp_host_others(site->addr, site->arch.len)) {
				err = err ? err : -EBUSY;
				continue;
			}
			/* Pairs with the acquire in kp_core_on_trap. */
			kp_store_release(&site->state, KP_SITE_ARMED);
			chunk_put(nr++, site, kp_arch_bp);
		}
		kp_patch_changing();
		if (nr)
			kp_host_text_write(chunk, nr);
		for (i = 0; i < nr; i++) {
			if (!chunk[i].err) {
				kp_optimize_follow(chunk_site[i]);
				continue;
			}
			err = err ? err : chunk[i].err;
			kp_store_release(&chunk_site[i]->state, KP_SITE_IDLE);
		}
		wrote |= nr > 0;
	} while (site);
	if (wrote)
		kp_host_sync_cores();
	kp_host_unlock(KP_LOCK_TEXT);
	return err;
}

/* Several batches of sites leave ARMED after one synchronisation. */
static void settle(struct kp_site *done)
{
	while (done) {
		struct kp_site *next = done->batch_next;

		done->batch_next = NULL;
		/* After the sync: a trap that finds IDLE re-reads the text. */
		kp_store_release(&done->state, KP_SITE_IDLE);
		kp_optimize_settled(done);
		done = next;
	}
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
int kp_patch_disarm(struct kp_batch *batch)
{
	struct kp_site *site = NULL, *done = NULL;
	int err = kp_hook_disarm(batch), last;

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	kp_batch_sort(batch);
	last = kp_jump_remove(batch);
	err = err ? err : last;
	kp_host_lock(KP_LOCK_TEXT);
	do {
		size_t nr = 0, i;

		while (nr < CHUNK && (site = kp_batch_pop(batch))) {
			if (site->state != KP_SITE_ARMED ||
			    site->jump == KP_JUMP_IN)
				continue;
			if (!text_is(site->addr, kp_arch_bp, KP_ARCH_BP_LEN)) {
				kp_host_log(KP_LOG_WARN,
					    "kprobes: the breakpoint at 0x%lx was overwritten by someone else; left alone",
					    (unsigned long)site->addr);
				site->batch_next = done;
				done = site;
				continue;
			}
			chunk_put(nr++, site, site->original);
		}
		if (nr)
			kp_host_text_write(chunk, nr);
		for (i = 0; i < nr; i++) {
			if (chunk[i].err) {
				err = err ? err : chunk[i].err;
				continue;
			}
			chunk_site[i]->batch_next = done;
			done = chunk_site[i];
		}
	} while (site);
	if (done)
		kp_host_sync_cores();
	settle(done);
	kp_host_unlock(KP_LOCK_TEXT);
	return err;
}
