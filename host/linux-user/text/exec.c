/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * exec.c - executable memory near the code that it serves.
 *
 * Owns: the regions given to the core, by address, so that they can be told from other code.
 * They are readable and executable, never writable: text.c writes to them.  No region is put
 * where the heap is about to grow.  If there is room elsewhere, none is put at addresses that
 * are also common numbers: the search for threads that may return (cli/attach/release.c) would find
 * such numbers in memory.
 *
 * Locks: the registry lock.
 */
#include "text/exec.h"
#include "host.h"
#include "machine.h"
#include "process/maps.h"
#include "text/text.h"
#include "text/unprotect.h"

#define REACH	0x7fe00000ul	/* a little less than rel32 spans */
#define PAGE	4096ul
#define LOWEST	0x10000ul
#define COMMON	0x20000000ul	/* below it; a program that is not relocated is there */

/* Kept free behind the break; where that would be all that jumps lead to, less. */
#define HEAP_ROOM (KP_ARCH_STAYS ? KP_ARCH_STAYS / 4 :			\
		   KP_ARCH_INNER_REACH ? KP_ARCH_INNER_REACH / 2 : 0x10000000ul)

static struct kp_exec *regions;		/* ascending */
static size_t regions_nr, regions_max;

struct gap {
	uintptr_t near, best;
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

/*
 * What is mapped, ascending, as the map said when the registry lock was taken,
 * and what we have mapped since: planning a jump may look for many gaps.  Others
 * map and unmap meanwhile, so a gap is one only if the kernel says so, too.
 */
static struct span {
	uintptr_t start, end;
} *spans;
static size_t spans_nr, spans_max;
static bool spans_known;

/*
 * Whether there may be a place behind the last of them: not on a kernel, where that is the
 * stack or what the kernel brings, but in an emulator's process, whose libraries may be last.
 * The first try tells.
 */
static bool room_above;

/* By whoever has just taken the registry lock. */
void kp_user_exec_locked(void)
{
	spans_known = false;
	room_above = true;
}

static bool room_for_span(void)
{
	size_t max = spans_max ? 2 * spans_max : 512;
	struct span *more;

	if (spans_nr < spans_max)
		return true;
	more = kp_host_alloc(max * sizeof(*more));
	if (!more)
		return false;
	if (spans_nr)
		memcpy(more, spans, spans_nr * sizeof(*more));
	kp_host_free(spans);
	spans = more;
	spans_max = max;
	return true;
}

/* Neighbours become one. */
static bool add_span(const struct kp_map *map, void *arg)
{
	uintptr_t end = map->end;
	bool *whole = arg;

	if (!strcmp(map->name, "[heap]"))
		end += HEAP_ROOM;
	if (spans_nr && spans[spans_nr - 1].end >= map->start) {
		if (spans[spans_nr - 1].end < end)
			spans[spans_nr - 1].end = end;
		return false;
	}
	*whole = room_for_span();
	if (*whole)
		spans[spans_nr++] = (struct span){ map->start, end };
	return !*whole;
}

static bool read_spans(void)
{
	bool whole = true;

	if (spans_known)
		return true;
	spans_nr = 0;
	spans_known = !kp_user_maps(add_span, &whole) && whole;
	return spans_known;
}

/* The first span that ends behind addr. */
static size_t span_behind(uintptr_t addr)
{
	size_t low = 0, high = spans_nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (spans[mid].end <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* We have mapped it ourselves. */
static void note_span(uintptr_t start, uintptr_t end)
{
	size_t i;

	if (!spans_known)
		return;
	i = span_behind(start);
	if (i < spans_nr && spans[i].start == end) {
		spans[i].start = start;
	} else if (i && spans[i - 1].end == start) {
		spans[i - 1].end = end;
	} else if (room_for_span()) {
		memmove(spans + i + 1, spans + i,
			(spans_nr - i) * sizeof(*spans));
		spans[i] = (struct span){ start, end };
		spans_nr++;
	} else {
		spans_known = false;
	}
}

/* The break grows, and what is in its way stops it. */
static bool in_heaps_way(uintptr_t start, uintptr_t end)
{
	uintptr_t heap = (uintptr_t)sys3(SYS_brk, 0, 0, 0);

	return end > heap && start < heap + HEAP_ROOM;
}

/* Without what the break is about to take. */
static void consider_both(struct gap *gap, uintptr_t start, uintptr_t end,
			  uintptr_t heap)
{
	if (start >= heap + HEAP_ROOM || end <= heap) {
		consider(gap, start, end);
		return;
	}
	if (start < heap)
		consider(gap, start, heap & ~(PAGE - 1));
	if (end > heap + HEAP_ROOM)
		consider(gap, (heap + HEAP_ROOM + PAGE) & ~(PAGE - 1), end);
}

/* The gap's best, 0: there is none, or no map to read. */
static uintptr_t find_gap(struct gap *gap)
{
	uintptr_t from = LOWEST, heap = (uintptr_t)sys3(SYS_brk, 0, 0, 0);
	size_t i;

	if (!read_spans())
		return 0;
	i = span_behind(gap->low);
	if (i && spans[i - 1].end > from)
		from = spans[i - 1].end;
	for (; i < spans_nr && from <= gap->high; i++) {
		if (spans[i].start > from)
			consider_both(gap, from, spans[i].start, heap);
		from = spans[i].end;
	}
	if (room_above && i == spans_nr && from < gap->high)
		consider_both(gap, from, gap->high, heap);
	return gap->best;
}

static uintptr_t near_hint(uintptr_t near, size_t len)
{
	struct gap gap = {
		.near = near, .len = len,
		.low = near > REACH + COMMON ? (near - REACH + PAGE) & ~(PAGE - 1)
					     : COMMON,
		.high = near + REACH < near ? ~0ul & ~(PAGE - 1)
					    : (near + REACH) & ~(PAGE - 1),
	};

	if (!find_gap(&gap) && gap.low == COMMON) {
		gap.low = near > REACH + LOWEST ?
				  (near - REACH + PAGE) & ~(PAGE - 1) : LOWEST;
		find_gap(&gap);
	}
	return gap.best;
}

/* Where jumps stay in a part of memory: there, if there is a place. */
static uintptr_t same_hint(uintptr_t near, size_t len)
{
	struct gap gap = {
		.near = near, .len = len,
		.low = near & ~(KP_ARCH_STAYS - 1), .high = near | (KP_ARCH_STAYS - PAGE),
	};

	if (gap.low < LOWEST)
		gap.low = LOWEST;
	return find_gap(&gap) ? gap.best : near_hint(near, len);
}

/*
 * Where jumps reach little, what is near is for those to whom all else is too far: who comes
 * first takes what is about as far as it may be.
 */
#define ASIDE	(KP_ARCH_REACHES_LITTLE ? KP_ARCH_REACH / 8 * 7 : 0)

static uintptr_t hint_for(uintptr_t near, size_t len)
{
	uintptr_t hint = ASIDE && near > ASIDE ? near_hint(near - ASIDE, len) : 0;

	if (KP_ARCH_STAYS)
		return same_hint(near, len);
	return hint && distance(hint, near) + len < KP_ARCH_REACH ? hint : near_hint(near, len);
}

static uintptr_t map_at(uintptr_t hint, size_t len)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	uintptr_t at;

	if (hint && in_heaps_way(hint, hint + len))
		return 0;
	if (hint)
		flags |= MAP_FIXED_NOREPLACE;
	at = (uintptr_t)sys_mmap((void *)hint, len, PROT_READ | PROT_EXEC,
				 flags, -1);
	if (!at && spans_nr && hint >= spans[spans_nr - 1].end)
		room_above = false;
	return at;
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
	if (regions)
		memcpy(more, regions, regions_nr * sizeof(*more));
	kp_host_free(regions);
	regions = more;
	regions_max = max;
	return true;
}

static int keep(struct kp_exec *out, uintptr_t at, size_t len)
{
	size_t i = region_behind(at);

	note_span(at, at + len);
	kp_user_unprotect_forget();
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
		uintptr_t hint = hint_for(near, len);

		if (!hint)
			break;
		at = map_at(hint, len);
		spans_known = at;
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

int kp_host_exec_alloc_in(struct kp_exec *out, uintptr_t low, uintptr_t high,
			  size_t len)
{
	struct gap gap = { 0 };
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
	gap.near = gap.low = low;
	gap.high = high;
	gap.len = len;
	at = read_spans() ? find_gap(&gap) : low;
	if (at)
		at = map_at(at, len);
	if (gap.best && !at)
		spans_known = false;
	return at ? keep(out, at, len) : -ENOMEM;
}

void kp_host_exec_free(const struct kp_exec *exec)
{
	size_t i = region_behind(exec->base);

	kp_user_text_forget(exec->base, exec->len);
	if (i < regions_nr && regions[i].base == exec->base) {
		regions_nr--;
		memmove(regions + i, regions + i + 1,
			(regions_nr - i) * sizeof(*regions));
	}
	sys3(SYS_munmap, exec->base, exec->len, 0);
}

int kp_host_exec_drop(uintptr_t addr, size_t len)
{
	kp_user_text_forget(addr, len);
	return (int)sys3(SYS_madvise, addr, len, MADV_DONTNEED);
}

int kp_host_exec_write(uintptr_t addr, const void *src, size_t len)
{
	return kp_user_text_fill(addr, src, len, false);
}

int kp_host_exec_write_later(uintptr_t addr, const void *src, size_t len)
{
	return kp_user_text_fill(addr, src, len, true);
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
