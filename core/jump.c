/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jump.c - jumps in the text.
 *
 * Owns: turning an armed site's breakpoint into its jump and back, in batches that cost a
 * constant number of core synchronisations.
 * Invariant: at any moment a site's span holds a whole jump, or an armed breakpoint at its
 * beginning.  Where bytes behind the first instruction differ from the original ones, each
 * boundary between instructions traps and leads on (landing.c).  Bytes that are neither
 * original nor ours stay.  So does a jump on which somebody else has put a breakpoint, if he
 * keeps a copy of the jump, to execute and to put back.  If he keeps a copy of the original
 * instruction, the original bytes are put back behind his breakpoint; then what he puts back
 * is that instruction.  Such a site is taken (look.c).
 *
 * If a write fails for a site, the site keeps what was done so far.  By the invariant that is
 * safe.  Its state stays IN until a removal succeeds.
 *
 * tests/protocol/patch.pml models the protocol.  The comments here name its steps.
 *
 * Locks: the registry lock is held; takes the text lock inside it.
 */
#include "jumps.h"
#include "batch.h"
#include "children.h"
#include "patches.h"

/* Guarded by the text lock. */
static int first_err;

static bool starts[256];		/* with which bytes jumps begin */
static size_t jump_nr;			/* lock-free readers */
static unsigned long removals;		/* lock-free readers */

KP_TRAP_PATH size_t kp_jump_nr(void)
{
	/* Pairs with leave_text(). */
	return kp_load_acquire(&jump_nr);
}

KP_TRAP_PATH unsigned long kp_jump_removals(void)
{
	/* Pairs with leave_text(). */
	return kp_load_acquire(&removals);
}

/* Does any jump in the text begin with that byte?  Registry. */
bool kp_jump_starts(uint8_t byte)
{
	return jump_nr && starts[byte];
}

/* ---- steps ------------------------------------------------------------------- */

static void fail(struct kp_site *site, int err)
{
	site->patch_failed = true;
	first_err = first_err ? first_err : err;
}

static void written(struct kp_site *site, int err)
{
	if (err)
		fail(site, err);
}

typedef void (*step_fn)(struct kp_site *site, const uint8_t *now);

/* One step for the batch's sites whose jump is in that state; then a sync. */
static void step(struct kp_batch *batch, enum kp_jump_state state, step_fn fn)
{
	uint8_t now[KP_ARCH_JUMP_MAX];
	struct kp_site *site;

	for (site = batch->first; site; site = site->batch_next) {
		if (site->jump != state || !site->detour || site->patch_failed)
			continue;
		if (kp_host_text_read(now, site->addr, site->detour->jump.len))
			fail(site, -EFAULT);
		else
			fn(site, now);
	}
	kp_patches_sync();
}

/* Of its first bytes, which one store writes. */
static unsigned int first_len(const struct kp_site *site)
{
	return kp_arch_bp_len_of(&site->arch);
}

static bool starts_with(const struct kp_site *site, const uint8_t *now, const uint8_t *bytes)
{
	return !memcmp(now, bytes, first_len(site));
}

static bool starts_trapping(const struct kp_site *site, const uint8_t *now)
{
	return starts_with(site, now, kp_arch_bp_of(&site->arch));
}

/* Is that byte of what traps at a boundary? */
static bool is_inner(const struct kp_detour *detour, unsigned int at)
{
	unsigned int i;

	for (i = 0; i < detour->jump.inner_nr; i++)
		if (at - detour->jump.inner[i] < KP_ARCH_INNER_LEN)
			return true;
	return false;
}

/* ---- write --------------------------------------------------------------------- */

static void fail_all(struct kp_batch *batch, int err)
{
	struct kp_site *site;

	for (site = batch->first; site; site = site->batch_next)
		fail(site, err);
}

static void check_write(struct kp_site *site, const uint8_t *now)
{
	const struct kp_detour *detour = site->detour;
	unsigned int first = first_len(site);

	if (site->state == KP_SITE_ARMED && !site->taken && starts_trapping(site, now) &&
	    !memcmp(now + first, detour->original + first, detour->jump.len - first) &&
	    !kp_host_others(site->addr, detour->jump.len))
		return;
	fail(site, -EBUSY);
}

static void enter_text(struct kp_site *site, const uint8_t *now)
{
	uint8_t inner_bp[KP_ARCH_INNER_LEN];
	unsigned int i;

	(void)now;
	memset(inner_bp, KP_ARCH_INNER_BP, sizeof(inner_bp));
	starts[site->detour->bytes[0]] = true;
	site->jump_whole = false;
	kp_store_relaxed(&jump_nr, jump_nr + 1);
	/* Before a boundary traps: pairs with kp_landing_find. */
	kp_store_release(&site->jump, KP_JUMP_IN);
	for (i = 0; i < site->detour->jump.inner_nr; i++)
		kp_patches_put(site, site->detour->jump.inner[i], inner_bp,
			       sizeof(inner_bp));
}

static void write_tail(struct kp_site *site, const uint8_t *now)
{
	unsigned int first = first_len(site);

	(void)now;
	kp_patches_put(site, first, site->detour->bytes + first, site->detour->jump.patched - first);
}

static void write_first(struct kp_site *site, const uint8_t *now)
{
	(void)now;
	kp_patches_put(site, 0, site->detour->bytes, first_len(site));
}

/* After write_first. */
static void note_whole(struct kp_site *site, const uint8_t *now)
{
	/* Its breakpoint is gone from all cores' sight: pairs with own(). */
	kp_store_release(&site->jump_whole,
			 starts_with(site, now, site->detour->bytes));
}

/* ---- remove -------------------------------------------------------------------- */

/* Did we leave that byte there? */
static bool is_ours(const struct kp_detour *detour, unsigned int at,
		    uint8_t byte)
{
	return byte == detour->bytes[at] || byte == detour->original[at] ||
	       (byte == KP_ARCH_INNER_BP && is_inner(detour, at));
}

/* Before there is a breakpoint of ours again: pairs with own_site(). */
static void back_to_breakpoint(struct kp_site *site)
{
	kp_store_release(&site->jump_whole, false);
	kp_patches_put(site, 0, kp_arch_bp_of(&site->arch), first_len(site));
}

/* Somebody else's breakpoint stands on it, or he is about to put one. */
static void remove_under(struct kp_site *site, bool stands)
{
	/* Even if it is not enabled: then it has copied the jump. */
	if (!stands || kp_host_jump_is_copied()) {
		kp_host_log(KP_LOG_WARN,
			    "kprobes: the jump at 0x%lx stays as long as someone else's probe stands there",
			    (unsigned long)site->addr);
		fail(site, -EBUSY);
		return;
	}
	site->taken = true;
	kp_store_release(&site->jump_whole, false);
}

static void remove_first(struct kp_site *site, const uint8_t *now)
{
	bool others = kp_host_others(site->addr, first_len(site));

	if (starts_trapping(site, now) && !site->jump_whole)
		return;
	if (starts_trapping(site, now) || others) {
		remove_under(site, !others);
		return;
	}
	if (starts_with(site, now, site->detour->bytes)) {
		back_to_breakpoint(site);
		return;
	}
	kp_host_log(KP_LOG_WARN,
		    "kprobes: the jump at 0x%lx was overwritten by someone else; left alone",
		    (unsigned long)site->addr);
	/* By a copy of the original instruction: the rest of it is put back, too. */
	if (starts_with(site, now, site->original))
		back_to_breakpoint(site);
}

/* What a step leaves at the bytes behind the first. */
static void put_tail(struct kp_site *site, const uint8_t *now, bool trapping)
{
	const struct kp_detour *detour = site->detour;
	uint8_t bytes[KP_ARCH_JUMP_MAX];
	unsigned int first = first_len(site), i;

	/* Overwritten: see remove_first. */
	if (!starts_trapping(site, now))
		return;
	for (i = first; i < KP_ARCH_JUMP_MAX && i < detour->jump.patched; i++) {
		if (!is_ours(detour, i, now[i]))
			bytes[i] = now[i];
		else if (trapping && is_inner(detour, i))
			bytes[i] = KP_ARCH_INNER_BP;
		else
			bytes[i] = detour->original[i];
	}
	kp_patches_put(site, first, bytes + first, detour->jump.patched - first);
}

static void remove_tail(struct kp_site *site, const uint8_t *now)
{
	put_tail(site, now, true);
}

static void remove_traps(struct kp_site *site, const uint8_t *now)
{
	if (site->detour->jump.inner_nr)
		put_tail(site, now, false);
}

static void leave_text(struct kp_site *site, const uint8_t *now)
{
	(void)now;
	/* It is still where the text went, or was overwritten; pairs with own_site(). */
	kp_store_release(&site->jump_whole, false);
	/* First: whoever sees less jumps knows that a trap may be stale. */
	kp_store_release(&removals, removals + 1);
	kp_store_release(&site->jump, KP_JUMP_NONE);
	kp_store_release(&jump_nr, jump_nr - 1);
}

/* Its text is gone, and the jump with it. */
void kp_jump_forget(struct kp_site *site)
{
	if (site->jump == KP_JUMP_IN)
		leave_text(site, NULL);
}

static void begin(struct kp_batch *batch)
{
	struct kp_site *site;

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	kp_batch_sort(batch);
	kp_patches_begin(written);
	for (site = batch->first; site; site = site->batch_next)
		site->patch_failed = false;
	first_err = 0;
}

static bool any_in(const struct kp_batch *batch, enum kp_jump_state state)
{
	const struct kp_site *site;

	for (site = batch->first; site; site = site->batch_next)
		if (site->jump == state && site->detour)
			return true;
	return false;
}

/*
 * 1. A breakpoint at the first byte, sync.         REMOVE_1, REMOVE_SYNC_1
 * 2. The original bytes behind it, but breakpoints at inner boundaries, sync.
 *                                                  REMOVE_2, REMOVE_SYNC_2
 * 3. Original bytes there, too, sync.              REMOVE_3, REMOVE_SYNC_3
 * 4. The site says NONE.                           REMOVE_4
 * 0, or the first errno: those sites still say IN.
 */
int kp_jump_remove(struct kp_batch *batch)
{
	int err;

	if (!any_in(batch, KP_JUMP_IN))
		return 0;
	begin(batch);
	step(batch, KP_JUMP_IN, remove_first);
	step(batch, KP_JUMP_IN, remove_tail);
	step(batch, KP_JUMP_IN, remove_traps);
	step(batch, KP_JUMP_IN, leave_text);
	err = first_err;
	kp_patches_end();
	return err;
}

/* Why it is still on the breakpoint; nothing when it is not. */
static void explain(struct kp_site *site)
{
	const char *before = site->why_not;

	site->why_not = site->patch_failed ?
		"the text there was changed by someone else, or cannot be written" : NULL;
	kp_site_explain(site, before);
}

/*
 * For sites that are armed, whose span is otherwise original, once their heads
 * and chains are committed.
 * 0. The site says IN.                             WRITE_0
 * 1. Breakpoints at the inner boundaries, sync.    WRITE_1, WRITE_SYNC_1
 * 2. All bytes behind the first, sync.             WRITE_2, WRITE_SYNC_2
 * 3. The first byte, sync.                         WRITE_3, WRITE_SYNC_3
 * 4. The site says that the jump is whole.         WRITE_4
 * 0, or the first errno: those sites are on the breakpoint again, if possible.
 * Empties the batch.
 */
int kp_jump_write(struct kp_batch *batch)
{
	struct kp_batch failed = { NULL, NULL };
	struct kp_site *site;
	int err;

	if (!batch->first)
		return 0;
	begin(batch);
	if (kp_host_exec_commit())
		fail_all(batch, -EIO);
	step(batch, KP_JUMP_NONE, check_write);
	step(batch, KP_JUMP_NONE, enter_text);
	step(batch, KP_JUMP_IN, write_tail);
	step(batch, KP_JUMP_IN, write_first);
	step(batch, KP_JUMP_IN, note_whole);
	err = first_err;
	kp_patches_end();
	while ((site = kp_batch_pop(batch))) {
		explain(site);
		if (site->patch_failed && site->jump == KP_JUMP_IN)
			kp_batch_add(&failed, site);
	}
	kp_jump_remove(&failed);
	kp_batch_clear(&failed);
	return err;
}
