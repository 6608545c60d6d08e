/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * exec.c - executable memory near the code that it serves.
 *
 * Owns: the regions handed to the core, so that they can be told from other
 * code.  They are readable and executable, never writable: bytes get there
 * through text.c.  Regions are remembered for ever; there are few.
 *
 * Locks: the registry lock.
 */
#include "user.h"

#define REACH	0x7fe00000ul	/* a little less than rel32 spans */
#define PAGE	4096ul
#define LOWEST	0x10000ul

static struct kp_exec regions[256];
static size_t regions_nr;

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

static uintptr_t map_at(uintptr_t hint, size_t len)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS;

	if (hint)
		flags |= MAP_FIXED_NOREPLACE;
	return (uintptr_t)sys_mmap((void *)hint, len, PROT_READ | PROT_EXEC,
				   flags, -1);
}

int kp_host_exec_alloc(struct kp_exec *out, uintptr_t near, size_t len,
		       bool own)
{
	uintptr_t at = 0, step;
	int tries;

	(void)own;
	if (regions_nr == sizeof(regions) / sizeof(regions[0]))
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
	if (!at)
		return -ENOMEM;
	out->base = at;
	out->len = len;
	regions[regions_nr++] = *out;
	return 0;
}

/* Nowhere in particular yet: jumps with few free bits find no head. */
int kp_host_exec_alloc_in(struct kp_exec *out, uintptr_t low, uintptr_t high,
			  size_t len)
{
	(void)out;
	(void)low;
	(void)high;
	(void)len;
	return -ENOMEM;
}

void kp_host_exec_free(const struct kp_exec *exec)
{
	size_t i;

	for (i = 0; i < regions_nr; i++) {
		if (regions[i].base != exec->base)
			continue;
		regions[i] = regions[--regions_nr];
		break;
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
	size_t i;

	for (i = 0; i < regions_nr; i++)
		if (addr - regions[i].base < regions[i].len)
			return true;
	return false;
}
