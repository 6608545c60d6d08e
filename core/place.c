/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * place.c - small pieces of executable memory at addresses that suit a jump.
 *
 * Owns: the pages that heads and hubs lie in, the owner of each piece, and the search for an
 * address that a jump with few free bits can reach.
 *
 * A piece has the length of a head, starts at any byte and does not cross a page.  A granule is
 * as long as a piece, so at most one piece starts in each granule.  A page's table says where.
 * Lock-free readers find pages through a hash table.  The search finds those with room through
 * an array sorted by address.  A page stays until the engine stops.
 *
 * Addresses that suit a jump are numbers off with (off & mask) == value.  off counts from 2^31
 * below the jump's base: as unsigned numbers these ascend with the address.  Where addresses
 * wrap and a jump reaches all of them, they ascend from there up, and once more below it: these
 * are two searches.
 *
 * Locks: the registry lock to change anything.
 */
#include "place.h"

#define PAGE		((uintptr_t)4096)	/* a unit of books, whatever the machine's is */
#define PIECE		KP_ARCH_HEAD_LEN
#define GRANULES	(PAGE / PIECE)
#define BUCKETS		1024u
#define REGION_NEAR	(16 * PAGE)	/* where any address would do */
#define REGION_WIDE	(4 * PAGE)	/* in a window that has room */
#define LOOK_MAX	64u		/* pages looked at in one search */
#define TOP		0x80000000u

_Static_assert(PAGE % PIECE == 0, "granules fill a page");
_Static_assert(KP_ARCH_HUB_LEN <= PIECE, "a hub is a piece");

struct sheet {
	uintptr_t base;			/* written once before publication */
	struct sheet *hash_next;		/* lock-free readers */
	unsigned int free_nr;		/* granules in which nothing starts */
	uint64_t taken[(GRANULES + 63) / 64];	/* the others, a bit each */
	uint8_t start[GRANULES];	/* 1 + offset in it; 0: none */
	struct kp_site *owner[GRANULES];	/* lock-free readers */
};

struct region {
	struct region *next;
	struct kp_exec exec;
	size_t pages_nr;
	struct sheet pages[];
};

static struct sheet *buckets[BUCKETS];	/* lock-free readers */
static struct region *regions;
static struct sheet **open;		/* with room; ascending */
static size_t open_nr, open_max;

/* ---- lookup ---------------------------------------------------------------- */

KP_TRAP_PATH static struct sheet **bucket_of(uintptr_t base)
{
	return &buckets[kp_hash(base / PAGE) % BUCKETS];
}

KP_TRAP_PATH static struct sheet *page_of(uintptr_t addr)
{
	uintptr_t base = addr & ~(PAGE - 1);
	/* Pairs with publish(). */
	struct sheet *page = kp_load_acquire(bucket_of(base));

	while (page && page->base != base)
		page = page->hash_next;
	return page;
}

/* The granule of the piece that ip lies in, and where that starts; NULL: none. */
KP_TRAP_PATH static struct kp_site **piece_of(struct sheet *page, uintptr_t ip,
					      uintptr_t *start)
{
	unsigned int g = (unsigned int)(ip % PAGE / PIECE), back;

	for (back = 0; page && back < 2 && back <= g; back++) {
		/* Pairs with occupy(): the owner is there. */
		uint8_t at = kp_load_acquire(&page->start[g - back]);

		*start = page->base + (g - back) * PIECE + at - 1;
		if (at && ip - *start < PIECE)
			return &page->owner[g - back];
	}
	return NULL;
}

/* Where the piece starts that ip lies in, and whose it is; NULL: a hub's. */
KP_TRAP_PATH struct kp_site *kp_place_owner(uintptr_t ip, uintptr_t *start)
{
	struct kp_site **owner = piece_of(page_of(ip), ip, start);

	return owner ? kp_load_relaxed(owner) : NULL;
}

/* Among the pieces, but in none: nobody was ever led there. */
bool kp_place_empty(uintptr_t ip)
{
	struct sheet *page = page_of(ip);
	uintptr_t start;

	return page && !piece_of(page, ip, &start);
}

/* Is that a head or hub? */
KP_TRAP_PATH bool kp_place_has(uintptr_t ip)
{
	return page_of(ip) != NULL;
}

/* ---- addresses that suit --------------------------------------------------- */

/* The least number of at least from with (number & mask) == value. */
static bool least(uint32_t from, uint32_t value, uint32_t mask, uint32_t *out)
{
	uint32_t at = (from & ~mask) | value, differs = at ^ from, below;

	if (differs) {
		/* Free bits below the highest bit that differs start anew; */
		below = 0xffffffffu >> __builtin_clz(differs);
		at &= ~(below & ~mask);
		if (at < from) {
			/* those above it must count one up. */
			at |= mask | below;
			if (at == 0xffffffffu)
				return false;
			at = ((at + 1) & ~mask) | value;
		}
	}
	*out = at;
	return true;
}

static uintptr_t origin(const struct kp_place *want)
{
	return want->base - TOP;
}

static uint32_t value_of(const struct kp_place *want)
{
	return want->value ^ (want->mask & TOP);
}

/* The first address from at on that suits, up to last. */
static bool first_from(const struct kp_place *want, uintptr_t at,
		       uintptr_t last, uintptr_t *out)
{
	uint32_t off;

	if (at > last || !least((uint32_t)(at - origin(want)), value_of(want),
				want->mask, &off))
		return false;
	*out = origin(want) + off;
	return *out <= last;
}

/* The last one from at on down, to first. */
static bool last_from(const struct kp_place *want, uintptr_t at,
		      uintptr_t first, uintptr_t *out)
{
	uint32_t off;

	if (at < first || !least(~(uint32_t)(at - origin(want)),
				 ~value_of(want) & want->mask, want->mask, &off))
		return false;
	*out = origin(want) + (uint32_t)~off;
	return *out >= first;
}

/* ---- pages with room -------------------------------------------------------- */

/* The index of the first open page that ends behind addr. */
static size_t open_from(uintptr_t addr)
{
	size_t low = 0, high = open_nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (open[mid]->base + (PAGE - 1) < addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static int open_add(struct sheet *pages, size_t nr)
{
	size_t at = open_from(pages->base), i;

	if (open_nr + nr > open_max) {
		size_t max = 2 * (open_max + nr);
		struct sheet **bigger = kp_host_alloc(max * sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		if (open_nr)
			memcpy(bigger, open, open_nr * sizeof(*bigger));
		kp_host_free(open);
		open = bigger;
		open_max = max;
	}
	memmove(open + at + nr, open + at, (open_nr - at) * sizeof(*open));
	for (i = 0; i < nr; i++)
		open[at + i] = &pages[i];
	open_nr += nr;
	return 0;
}

static void open_drop(struct sheet *page)
{
	size_t at = open_from(page->base);

	memmove(open + at, open + at + 1, (--open_nr - at) * sizeof(*open));
}

/* Is there room for a piece at addr, which does not cross the page's end? */
static bool is_free(const struct sheet *page, uintptr_t addr, uintptr_t *blocker)
{
	unsigned int g = (unsigned int)(addr % PAGE / PIECE), i;

	for (i = g ? g - 1 : 0; i <= g + 1 && i < GRANULES; i++) {
		uintptr_t start = page->base + i * PIECE + page->start[i] - 1;

		if (page->start[i] && start < addr + PIECE &&
		    addr < start + PIECE) {
			*blocker = start;
			return false;
		}
	}
	return true;
}

/* The first granule from g on in which nothing starts; or GRANULES. */
static unsigned int free_from(const struct sheet *page, unsigned int g)
{
	while (g < GRANULES) {
		uint64_t left = ~page->taken[g / 64] >> g % 64;

		if (left)
			return g + (unsigned int)__builtin_ctzll(left);
		g += 64 - g % 64;
	}
	return GRANULES;
}

/*
 * The first free address in the page from at on, up to last.  Where the low
 * bits are free, pieces that start with a granule leave no gaps.
 */
static bool fit(const struct kp_place *want, const struct sheet *page,
		uintptr_t at, uintptr_t last, bool aligned, uintptr_t *out)
{
	uintptr_t end = page->base + PAGE - PIECE, blocker;

	if (last > end)
		last = end;
	while (first_from(want, at, last, &at)) {
		unsigned int g = (unsigned int)(at % PAGE / PIECE);
		unsigned int next = free_from(page, g);

		if (next != g) {
			at = page->base + next * PIECE;
			continue;
		}
		if (aligned && at % PIECE) {
			at += PIECE - at % PIECE;
			continue;
		}
		if (is_free(page, at, &blocker)) {
			*out = at;
			return true;
		}
		at = blocker + PIECE;
	}
	return false;
}

static bool fit_either(const struct kp_place *want, const struct sheet *page,
		       uintptr_t at, uintptr_t last, uintptr_t *out)
{
	return (!(want->mask & (PIECE - 1)) &&
		fit(want, page, at, last, true, out)) ||
	       fit(want, page, at, last, false, out);
}

/* In the open pages between first and last. */
static struct sheet *search(const struct kp_place *want, uintptr_t first,
			   uintptr_t last, uintptr_t *out)
{
	unsigned int looked;

	for (looked = 0; looked < LOOK_MAX; looked++) {
		size_t i = open_from(first);
		struct sheet *page = i < open_nr ? open[i] : NULL;

		if (!page)
			break;
		if (first < page->base)
			first = page->base;
		if (!first_from(want, first, last, &first))
			break;
		if (first - page->base >= PAGE)
			continue;
		if (fit_either(want, page, first, last, out))
			return page;
		first = page->base + PAGE;
	}
	return NULL;
}

/* ---- more pages --------------------------------------------------------------- */

static void publish(struct sheet *page)
{
	struct sheet **bucket = bucket_of(page->base);

	page->hash_next = *bucket;
	/* Pairs with page_of(). */
	kp_store_release(bucket, page);
}

/* Takes over exec, also on failure. */
static int region_add(const struct kp_exec *exec)
{
	uintptr_t first = (exec->base + PAGE - 1) & ~(PAGE - 1);
	size_t nr = (exec->base + exec->len - first) / PAGE, i;
	struct region *region;

	region = kp_host_alloc(sizeof(*region) + nr * sizeof(struct sheet));
	if (!region)
		goto free_exec;
	region->exec = *exec;
	region->pages_nr = nr;
	for (i = 0; i < nr; i++) {
		region->pages[i].base = first + i * PAGE;
		region->pages[i].free_nr = GRANULES;
	}
	if (open_add(region->pages, nr))
		goto free_region;
	for (i = 0; i < nr; i++)
		publish(&region->pages[i]);
	region->next = regions;
	regions = region;
	return 0;

free_region:
	kp_host_free(region);
free_exec:
	kp_host_exec_free(exec);
	return -ENOMEM;
}

static struct sheet *added(const struct kp_place *want,
			  const struct kp_exec *exec, uintptr_t *out)
{
	uintptr_t first = exec->base, last = exec->base + exec->len - 1;

	if (region_add(exec))
		return NULL;
	if (first < want->low)
		first = want->low;
	if (last > want->high)
		last = want->high;
	return search(want, first, last, out);
}

/* Wherever the host likes best. */
static struct sheet *near(struct kp_place *want, uintptr_t *out)
{
	struct kp_exec exec;

	want->tries--;
	if (kp_host_exec_alloc(&exec, want->near, REGION_NEAR, false))
		return NULL;
	if (exec.base + exec.len - 1 < want->low || exec.base > want->high) {
		kp_host_exec_free(&exec);
		return NULL;
	}
	return added(want, &exec, out);
}

/* A page that holds the first address from at on, up to last. */
static struct sheet *window(struct kp_place *want, uintptr_t at, uintptr_t last,
			   uintptr_t *out)
{
	struct kp_exec exec;
	uintptr_t low, high;

	want->tries--;
	if (!first_from(want, at, last, &at))
		return NULL;
	/* Not one that would cross a page's end. */
	if (at % PAGE > PAGE - PIECE &&
	    !first_from(want, (at & ~(PAGE - 1)) + PAGE, last, &at))
		return NULL;
	low = at & ~(PAGE - 1);
	high = last | (PAGE - 1);
	if (kp_host_exec_alloc_in(&exec, low, high,
				  high - low >= 16 * REGION_WIDE ? REGION_WIDE
								 : PAGE))
		return NULL;
	return added(want, &exec, out);
}

/*
 * A window is a run of addresses that agree in the fixed bits above a page's;
 * those below are found in any page of it.  Windows are tried in turn, the
 * nearest first, above and below.
 */
static struct sheet *windows(struct kp_place *want, uintptr_t *out)
{
	uint32_t high_bits = want->mask & ~(uint32_t)(PAGE - 1);
	uint32_t low_bits = high_bits ? (high_bits & -high_bits) - 1
				      : 0xffffffffu;
	uintptr_t up = 0, down = 0, start;
	bool above = first_from(want, want->near, want->high, &up);
	bool below = want->near > want->low &&
		     last_from(want, want->near - 1, want->low, &down);

	while (want->tries && (above || below)) {
		bool upward = above && (!below || up - want->near <=
						  want->near - down);
		uintptr_t at = upward ? up : down, last;
		struct sheet *page;

		start = at - ((uint32_t)(at - origin(want)) & low_bits);
		last = start + low_bits;
		if (start > at)
			start = want->low;
		if (upward)
			start = at;
		else
			last = at;
		if (start < want->low)
			start = want->low;
		if (last > want->high || last < start)
			last = want->high;
		page = window(want, start, last, out);
		if (page)
			return page;
		if (upward)
			above = last < want->high &&
				first_from(want, last + 1, want->high, &up);
		else
			below = start > want->low &&
				last_from(want, start - 1, want->low, &down);
	}
	return NULL;
}

/* ---- take ---------------------------------------------------------------------- */

/*
 * Where the last one of the kind was found: what comes before has been looked
 * through, mostly in vain.
 */
#define HINTS 8u

static struct hint {
	uint32_t value, mask;
	uintptr_t at;			/* a page's; 0: none */
} hints[HINTS];

static struct hint *hint_of(const struct kp_place *want)
{
	uint64_t key = (uint64_t)want->mask << 32 | want->value;

	return &hints[kp_hash(key) % HINTS];
}

static struct sheet *search_from_hint(const struct kp_place *want,
				      uintptr_t *out)
{
	const struct hint *hint = hint_of(want);

	if (hint->value != want->value || hint->mask != want->mask ||
	    hint->at < want->low || hint->at > want->high)
		return NULL;
	return search(want, hint->at, want->high, out);
}

static void occupy(struct sheet *page, uintptr_t at, struct kp_site *owner)
{
	unsigned int g = (unsigned int)(at % PAGE / PIECE);

	kp_store_relaxed(&page->owner[g], owner);
	/* Pairs with kp_place_owner. */
	kp_store_release(&page->start[g], (uint8_t)(at % PIECE + 1));
	page->taken[g / 64] |= (uint64_t)1 << g % 64;
	if (!--page->free_nr)
		open_drop(page);
}

/* Between want->low and high, where offsets ascend with the address. */
static int take(struct kp_place *want, struct kp_site *owner, uintptr_t *out)
{
	struct sheet *page;

	if (want->near < want->low || want->near > want->high)
		want->near = want->low + (want->high - want->low) / 2;
	page = search_from_hint(want, out);
	if (!page)
		page = search(want, want->near, want->high, out);
	if (!page && want->near > want->low)
		page = search(want, want->low, want->near - 1, out);
	/* Any region of that length has an address that suits. */
	if (!page && want->tries && want->mask < REGION_NEAR)
		page = near(want, out);
	if (!page && want->tries)
		page = windows(want, out);
	if (!page)
		return -ENOMEM;
	*hint_of(want) = (struct hint){ want->value, want->mask, page->base };
	occupy(page, *out, owner);
	return 0;
}

/* 0, or -ENOMEM: there is no room where it would suit. */
int kp_place_take(struct kp_place *want, struct kp_site *owner, uintptr_t *out)
{
	uintptr_t low = want->low, high = want->high, wrap = origin(want);
	bool above = want->near >= wrap;
	int err;

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	if (low >= wrap || high < wrap)
		return take(want, owner, out);
	*(above ? &want->low : &want->high) = above ? wrap : wrap - 1;
	err = take(want, owner, out);
	if (!err)
		return 0;
	want->low = above ? low : wrap;
	want->high = above ? wrap - 1 : high;
	return take(want, owner, out);
}

/* Nobody has executed it. */
void kp_place_put(uintptr_t at)
{
	struct sheet *page = page_of(at);
	unsigned int g = (unsigned int)(at % PAGE / PIECE);

	/* Pairs with piece_of(): the place is nobody's before it can be another's. */
	kp_store_release(&page->start[g], 0);
	page->taken[g / 64] &= ~((uint64_t)1 << g % 64);
	if (!page->free_nr++ && open_add(page, 1))
		page->free_nr = 0;
}

/* ---- stop ---------------------------------------------------------------------- */

/* 0 when no task is or will be in any piece; else -EBUSY. */
int kp_place_wait(void)
{
	struct region *region;

	for (region = regions; region; region = region->next)
		if (kp_host_wait_tasks(region->exec.base, region->exec.len))
			return -EBUSY;
	return 0;
}

static bool is_empty(const struct region *region)
{
	size_t i;

	for (i = 0; i < region->pages_nr; i++)
		if (region->pages[i].free_nr != GRANULES)
			return false;
	return true;
}

static void unpublish(struct sheet *page)
{
	struct sheet **link = bucket_of(page->base);

	while (*link != page)
		link = &(*link)->hash_next;
	/* Pairs with page_of(): a reader on this one still finds its way on. */
	kp_store_release(link, page->hash_next);
	open_drop(page);
}

static void drop_pages(const struct region *region)
{
	size_t i;

	for (i = 0; i < region->pages_nr; i++)
		if (region->pages[i].free_nr == GRANULES)
			kp_host_exec_drop(region->pages[i].base, PAGE);
}

/* No reader is left. */
void kp_place_drop(void)
{
	struct region **link = &regions, *region;
	size_t i;

	memset(hints, 0, sizeof(hints));
	while ((region = *link)) {
		if (!is_empty(region)) {
			drop_pages(region);
			link = &region->next;
			continue;
		}
		*link = region->next;
		for (i = 0; i < region->pages_nr; i++)
			unpublish(&region->pages[i]);
		kp_host_exec_free(&region->exec);
		kp_host_free(region);
	}
}

/* Pieces or not: all of it. */
void kp_place_each(void (*each)(void *arg, uintptr_t base, size_t len),
		   void *arg)
{
	struct region *region;

	for (region = regions; region; region = region->next)
		each(arg, region->exec.base, region->exec.len);
}

void kp_place_stop(void)
{
	struct region *region;

	memset(buckets, 0, sizeof(buckets));
	memset(hints, 0, sizeof(hints));
	while ((region = regions)) {
		regions = region->next;
		kp_host_exec_free(&region->exec);
		kp_host_free(region);
	}
	kp_host_free(open);
	open = NULL;
	open_nr = open_max = 0;
}
