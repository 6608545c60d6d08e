/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * slot.c - slots carved from executable memory.
 *
 * Owns: the regions of executable memory, and the slot of each site.  A slot holds both forms of
 * the out-of-line copy, or the chain of a jump, and, in its last bytes, the address of its site.
 * It is filled before its site or detour is published and keeps its meaning as long as the
 * engine lives.  So a thread may rest in it for ever.  Most contents are short: the slots of a
 * region may be half as long as those of others.
 *
 * Locks: the registry lock to take; kp_slot_site reads without a lock.
 */
#include "slot.h"
#include "hub.h"

#define FIRST_REGION	(16u * 1024)
/* Where jumps reach little, others have to be near as well. */
#define LAST_REGION	(KP_ARCH_REACHES_LITTLE ? 64u * 1024 : 1024u * 1024)
#define PAGE		((uintptr_t)4096)	/* as a host gives them back */

_Static_assert((KP_ARCH_SLOT_LEN & (KP_ARCH_SLOT_LEN - 1)) == 0,
	       "a slot's length is a power of two");

struct region {
	struct region *next;		/* lock-free readers; unlinked when there are none */
	struct kp_exec exec;
	uintptr_t near;			/* what it was asked for */
	bool far;			/* from that */
	unsigned int asked;		/* so often it has served although it is far */
	size_t used;			/* up to here slots were handed out; bytes */
	size_t at;			/* below used: from here on some may be nobody's */
	size_t unit;			/* a slot's length, a power of two */
	bool fixup;
};

static struct region *regions;		/* lock-free readers */

#define OWNER_LEN sizeof(struct kp_site *)
#define SHORT_LEN (KP_ARCH_SLOT_LEN / 2)

/* The site whose slot contains ip, or NULL. */
KP_TRAP_PATH struct kp_site *kp_slot_site(uintptr_t ip)
{
	/* Pairs with region_add. */
	struct region *region = kp_load_acquire(&regions);

	for (; region; region = region->next) {
		uintptr_t off = ip - region->exec.base;

		if (off >= region->exec.len)
			continue;
		off |= region->unit - 1;
		return *(struct kp_site *const *)(region->exec.base + off + 1 -
						  OWNER_LEN);
	}
	return NULL;
}

static bool in_reach(uintptr_t addr, uintptr_t base, size_t len)
{
	uintptr_t last = base + len;

	return (addr > last ? addr - base : last - addr) < KP_ARCH_REACH;
}

/* Where there was nothing nearer for one, there is none for what is beside it; not yet. */
static bool serves(const struct region *region, uintptr_t addr)
{
	return in_reach(addr, region->exec.base, region->exec.len) ||
	       (region->far && in_reach(addr, region->near, 0));
}

static struct kp_site *owner_of(const struct region *region, uintptr_t slot)
{
	return *(struct kp_site *const *)(slot + region->unit - OWNER_LEN);
}

/* Past those that are somebody's: is there one more? */
static bool has_room(struct region *region)
{
	while (region->at < region->used &&
	       owner_of(region, region->exec.base + region->at))
		region->at += region->unit;
	return region->at + region->unit <= region->exec.len;
}

static void hand_out(struct region *region)
{
	region->at += region->unit;
	if (region->used < region->at)
		region->used = region->at;
}

static bool is_kind(const struct region *region, size_t unit, bool fixup)
{
	return region->unit == unit && region->fixup == fixup;
}

/* Where there is no room for as much within reach, there may be for less. */
static int alloc_near(struct kp_exec *exec, uintptr_t near, size_t len, bool fixup)
{
	int err = kp_host_exec_alloc(exec, near, len, fixup);

	for (; !err && len > PAGE && !in_reach(near, exec->base, exec->len); len /= 4) {
		kp_host_exec_free(exec);
		err = kp_host_exec_alloc(exec, near, len / 4, fixup);
	}
	return err;
}

/*
 * Regions double, so their number stays small and kp_slot_site cheap.  far: may it be one
 * that is far away?
 */
static struct region *region_add(uintptr_t near, size_t unit, bool fixup, bool far)
{
	struct region *region = kp_host_alloc(sizeof(*region));
	size_t len = FIRST_REGION;
	struct region *old;

	if (!region)
		return NULL;
	for (old = regions; old; old = old->next)
		if (is_kind(old, unit, fixup) && serves(old, near) &&
		    len < LAST_REGION)
			len *= 2;
	if (alloc_near(&region->exec, near, len, fixup)) {
		kp_host_free(region);
		return NULL;
	}
	region->near = near;
	region->far = !in_reach(near, region->exec.base, region->exec.len);
	if (region->far && !far) {
		kp_host_exec_free(&region->exec);
		kp_host_free(region);
		return NULL;
	}
	region->unit = unit;
	region->fixup = fixup;
	region->next = regions;
	/* Pairs with kp_slot_site. */
	kp_store_release(&regions, region);
	return region;
}

/*
 * What was there when nothing near was free may be gone, as what modules need only until
 * they have started: so it is asked once more, ever less often.
 */
static struct region *nearer_than(struct region *region, uintptr_t near)
{
	struct region *found = NULL;

	if (in_reach(near, region->exec.base, region->exec.len))
		return region;
	region->asked++;
	if (!(region->asked & (region->asked - 1)))
		found = region_add(near, region->unit, region->fixup, false);
	return found ? found : region;
}

static struct region *region_find(uintptr_t near, size_t unit, bool fixup)
{
	struct region *region;

	for (region = regions; region; region = region->next)
		if (is_kind(region, unit, fixup) && serves(region, near) &&
		    has_room(region))
			return nearer_than(region, near);
	region = region_add(near, unit, fixup, true);
	if (region)
		return region;
	/* Nothing near: the architecture can use a far slot, or says why not. */
	for (region = regions; region; region = region->next)
		if (is_kind(region, unit, fixup) && has_room(region))
			return region;
	return NULL;
}

static struct region *region_for(uintptr_t near, size_t unit, bool fixup,
				 const char **reason)
{
	struct region *region;

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	region = region_find(near, unit, fixup);
	if (!region)
		*reason = "no executable memory for the copied instruction";
	return region;
}

/* Among the slots, but in none: nobody was ever led there, or can come back. */
bool kp_slot_empty(uintptr_t ip)
{
	struct region *region;

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	for (region = regions; region; region = region->next) {
		uintptr_t off = ip - region->exec.base;

		if (off < region->exec.len)
			return off >= region->used || !kp_slot_site(ip);
	}
	return false;
}

/* The region's next slot becomes the site's; filled when it is committed. */
static int slot_write(struct region *region, uint8_t *image,
		      struct kp_site *site, const char **reason)
{
	uintptr_t slot = region->exec.base + region->at;
	int err;

	memcpy(image + region->unit - OWNER_LEN, &site, sizeof(site));
	err = kp_host_exec_write_later(slot, image, region->unit);
	if (err)
		*reason = "the copied instruction could not be written";
	return err;
}

static int take_slot(struct kp_site *site, size_t unit, bool fixup,
		     const char **reason)
{
	struct region *region = region_for(site->addr, unit, fixup, reason);
	uint8_t image[KP_ARCH_SLOT_LEN] = { 0 };
	unsigned int copies[2];
	uintptr_t slot;
	int err;

	if (!region)
		return -ENOMEM;
	slot = region->exec.base + region->at;
	kp_arch_slot_shorten(&site->arch, unit == SHORT_LEN);
	err = kp_arch_emit_slot_post(&site->arch, slot,
				     KP_ARCH_JUMPS ?
					kp_hub(slot, kp_arch_post_entry) : 0,
				     image, reason);
	if (!err)
		err = slot_write(region, image, site, reason);
	if (err)
		return err;
	kp_arch_slot_copies(&site->arch, copies);
	err = kp_host_slot_bind(slot, site->addr, copies);
	if (err) {
		/* Nobody's, as before: where it is among others its owner is read. */
		memset(image, 0, unit);
		kp_host_exec_write_later(slot, image, unit);
		*reason = "the copied instruction could not be written";
		return err;
	}
	hand_out(region);
	site->slot = slot;
	return 0;
}

/*
 * Give the site its slot, filled.  0 or -errno with *reason.  What hosts keep for
 * a slot with a fixup, they keep for a long one.
 */
int kp_slot_take(struct kp_site *site, bool fixup, const char **reason)
{
	int err = fixup ? -ENOSPC : take_slot(site, SHORT_LEN, false, reason);

	return err == -ENOSPC ? take_slot(site, KP_ARCH_SLOT_LEN, fixup, reason)
			      : err;
}

static int take_chain(struct kp_site *site, struct kp_detour *detour,
		      size_t unit, const char **reason)
{
	struct region *region = region_for(site->addr, unit, false, reason);
	uint8_t image[KP_ARCH_SLOT_LEN];
	uintptr_t slot;
	size_t len;
	int err;

	if (!region)
		return -ENOMEM;
	slot = region->exec.base + region->at;
	memset(image, KP_ARCH_FILL, sizeof(image));
	err = kp_arch_emit_chain(detour->insns, detour->insns_nr, slot, image,
				 unit - OWNER_LEN, &len, reason);
	if (!err)
		err = slot_write(region, image, site, reason);
	if (err)
		return err;
	hand_out(region);
	detour->chain = slot;
	detour->chain_len = (uint8_t)unit;
	return 0;
}

/*
 * The body of a jump with more than its instruction, in a slot of its own that
 * says whose it is like the other.  0 or -errno with *reason.
 */
int kp_slot_take_chain(struct kp_site *site, struct kp_detour *detour,
		       const char **reason)
{
	int err = take_chain(site, detour, SHORT_LEN, reason);

	return err == -ENOSPC ? take_chain(site, detour, KP_ARCH_SLOT_LEN, reason)
			      : err;
}

/* 0 when no task is in a slot; else -EBUSY. */
int kp_slot_wait(void)
{
	struct region *region;

	for (region = regions; region; region = region->next)
		if (kp_host_wait_tasks(region->exec.base, region->exec.len))
			return -EBUSY;
	return 0;
}

/*
 * It belongs to nobody from now on.  Where that cannot be written, its site must
 * stay.
 */
static void blank(const struct region *region, uintptr_t slot)
{
	static const uint8_t nothing[KP_ARCH_SLOT_LEN];

	if (kp_host_exec_write(slot, nothing, region->unit))
		owner_of(region, slot)->pinned = true;
}

static bool any_pinned(const struct region *region, uintptr_t slot, size_t len)
{
	uintptr_t end = slot + len;

	for (; slot < end; slot += region->unit)
		if (owner_of(region, slot) && owner_of(region, slot)->pinned)
			return true;
	return false;
}

/* What follows the last that was handed out, is zero. */
static void drop_pages(const struct region *region)
{
	uintptr_t end = region->exec.base + region->used, page;

	for (page = region->exec.base; page < end; page += PAGE)
		if (!any_pinned(region, page, PAGE))
			kp_host_exec_drop(page, PAGE);
}

static void blank_others(struct region *region)
{
	uintptr_t slot = region->exec.base, last = slot;

	/* Where the host cannot, each is blanked. */
	if (region->exec.base % PAGE == 0 && region->exec.len % PAGE == 0)
		drop_pages(region);
	for (; slot < region->exec.base + region->used; slot += region->unit) {
		if (owner_of(region, slot) && !owner_of(region, slot)->pinned)
			blank(region, slot);
		if (owner_of(region, slot))
			last = slot + region->unit;
	}
	/* What is nobody's can be handed out again. */
	region->used = last - region->exec.base;
	region->at = 0;
}

static void region_free(struct region *region)
{
	uintptr_t slot = region->exec.base;

	for (; slot < region->exec.base + region->used; slot += region->unit)
		kp_host_slot_unbind(slot);
	kp_host_exec_free(&region->exec);
	kp_host_free(region);
}

void kp_slot_drop(void)
{
	struct region **link = &regions, *region;

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	while ((region = *link)) {
		if (any_pinned(region, region->exec.base, region->used)) {
			blank_others(region);
			link = &region->next;
			continue;
		}
		/* Pairs with kp_slot_site; nobody is inside, or comes back: kp_core_release. */
		kp_store_release(link, region->next);
		region_free(region);
	}
}

/* Nobody is in a slot or will be: give the memory back. */
void kp_slot_stop(void)
{
	struct region *region;

	while ((region = regions)) {
		regions = region->next;
		region_free(region);
	}
}

void kp_core_slots(void (*each)(void *arg, uintptr_t base, size_t len),
		   void *arg)
{
	/* Pairs with region_add. */
	struct region *region = kp_load_acquire(&regions);

	for (; region; region = region->next)
		each(arg, region->exec.base, region->exec.len);
}
