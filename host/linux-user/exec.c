/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * exec.c - executable memory near the code that it serves.
 *
 * Owns: the regions handed to the core, by address, so that they can be told
 * from other code.  They are readable and executable, never writable: bytes get
 * there through text.c.  None is put where the heap is about to grow.
 *
 * Locks: the registry lock.
 */
#include "user.h"

#define REACH	0x7fe00000ul	/* a little less than rel32 spans */
#define PAGE	4096ul
#define LOWEST	0x10000ul

#define HEAP_ROOM 0x10000000ul	/* kept free behind the break */

static struct kp_exec *regions;		/* ascending */
static size_t regions_nr, regions_max;

struct gap {
	uintptr_t near, best, last_end;
	size_t len;
	uintptr_t low, high;		/* bounds of what is within reach */
};

static uintptr_t distance(uintptr_t a, uintptr_t b)
{
	return a > b ? a - b : b - a;
}

/* Try the gap [start, end): the place in it that is nearest. */
static void consider(struct gap *gap, uintptr_t start, uintptr_t end)
{
	uintptr_t at;

	if (start < gap->low)
		start = gap->low;
	if (end > gap->high)
		end = gap->high;
	if (end < start || end - start < gap->len)
		return;
	at = gap->near < start ? start : end - gap->len;
	if (!gap->best ||
	    distance(at, gap->near) < distance(gap->best, gap->near))
		gap->best = at;
}

static bool look(const struct kp_map *map, void *arg)
{
	struct gap *gap = arg;

	if (map->start > gap->last_end)
		consider(gap, gap->last_end, map->start);
	gap->last_end = map->end;
	if (!strcmp(map->name, "[heap]"))
		gap->last_end += HEAP_ROOM;
	return map->start > gap->high;
}

static uintptr_t near_hint(uintptr_t near, size_t len)
{
	struct gap gap = {
		.near = near, .len = len, .last_end = LOWEST,
		.low = near > REACH + LOWEST ? (near - REACH + PAGE) & ~(PAGE - 1)
					     : LOWEST,
		.high = near + REACH < near ? ~0ul & ~(PAGE - 1)
					    : (near + REACH) & ~(PAGE - 1),
	};

	kp_user_maps(look, &gap);
	return gap.best;
}

/* The break grows, and what is in its way stops it. */
static bool in_heaps_way(uintptr_t start, uintptr_t end)
{
	uintptr_t heap = (uintptr_t)sys3(SYS_brk, 0, 0, 0);

	return end > heap && start < heap + HEAP_ROOM;
}

static uintptr_t map_at(uintptr_t hint, size_t len)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS;

	if (hint && in_heaps_way(hint, hint + len))
		return 0;
	if (hint)
		flags |= MAP_FIXED_NOREPLACE;
	return (uintptr_t)sys_mmap((void *)hint, len, PROT_READ | PROT_EXEC,
				   flags, -1);
}

/* The first region that ends behind addr. */
static size_t region_behind(uintptr_t addr)
{
	size_t low = 0, high = regions_nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (regions[mid].base + regions[mid].len <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool room_for_another(void)
{
	size_t max = regions_max ? 2 * regions_max : 64;
	struct kp_exec *more;

	if (regions_nr < regions_max)
		return true;
	more = kp_host_alloc(max * sizeof(*more));
	if (!more)
		return false;
	memcpy(more, regions, regions_nr * sizeof(*more));
	kp_host_free(regions);
	regions = more;
	regions_max = max;
	return true;
}

static int keep(struct kp_exec *out, uintptr_t at, size_t len)
{
	size_t i = region_behind(at);

	out->base = at;
	out->len = len;
	memmove(regions + i + 1, regions + i,
		(regions_nr - i) * sizeof(*regions));
	regions[i] = *out;
	regions_nr++;
	return 0;
}

int kp_host_exec_alloc(struct kp_exec *out, uintptr_t near, size_t len,
		       bool own)
{
	uintptr_t at = 0, step;
	int tries;

	(void)own;
	if (!room_for_another())
		return -ENOMEM;
	len = (len + PAGE - 1) & ~(PAGE - 1);
	/* Another thread may map the gap first: look again. */
	for (tries = 0; tries < 8 && !at; tries++) {
		uintptr_t hint = near_hint(near, len);

		if (!hint)
			break;
		at = map_at(hint, len);
	}
	/* No map to read, or the gaps are gone: grope at growing distances. */
	for (step = PAGE * 256; step < REACH && !at; step *= 2) {
		at = map_at((near + step) & ~(PAGE - 1), len);
		if (!at && near > step + LOWEST)
			at = map_at((near - step) & ~(PAGE - 1), len);
	}
	if (!at)
		at = map_at(0, len);
	return at ? keep(out, at, len) : -ENOMEM;
}

/* Most of the address space is free: try first, look when that fails. */
int kp_host_exec_alloc_in(struct kp_exec *out, uintptr_t low, uintptr_t high,
			  size_t len)
{
	struct gap gap = { .last_end = LOWEST };
	uintptr_t at;

	if (!room_for_another())
		return -ENOMEM;
	len = (len + PAGE - 1) & ~(PAGE - 1);
	low = (low + PAGE - 1) & ~(PAGE - 1);
	high = (high + 1) & ~(PAGE - 1);
	if (low < LOWEST)
		low = LOWEST;
	if (high < low || high - low < len)
		return -ENOMEM;
	at = map_at(low, len);
	if (at)
		return keep(out, at, len);
	if (high - low == len)
		return -ENOMEM;
	gap.near = gap.low = low;
	gap.high = high;
	gap.len = len;
	kp_user_maps(look, &gap);
	at = gap.best ? map_at(gap.best, len) : 0;
	return at ? keep(out, at, len) : -ENOMEM;
}

void kp_host_exec_free(const struct kp_exec *exec)
{
	size_t i = region_behind(exec->base);

	if (i < regions_nr && regions[i].base == exec->base) {
		regions_nr--;
		memmove(regions + i, regions + i + 1,
			(regions_nr - i) * sizeof(*regions));
	}
	sys3(SYS_munmap, exec->base, exec->len, 0);
}

int kp_host_exec_write(uintptr_t addr, const void *src, size_t len)
{
	return kp_user_text_poke(addr, src, len);
}

/* Unwind entries for slots are not made yet; nothing else is per slot. */
int kp_host_slot_bind(uintptr_t slot, uintptr_t insn,
		      const unsigned int copies[2])
{
	(void)slot;
	(void)insn;
	(void)copies;
	return 0;
}

void kp_host_slot_unbind(uintptr_t slot)
{
	(void)slot;
}

bool kp_user_exec_owns(uintptr_t addr)
{
	size_t i = region_behind(addr);

	return i < regions_nr && regions[i].base <= addr;
}
