/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * blacklist.c - ranges that must not be probed.
 *
 * Owns: the ranges, in insertion order for the file (K-KNB-41), and a sorted
 * index with a running maximum of the ends, so that nested ranges are found
 * by one binary search.  The index is rebuilt when it is stale.
 *
 * Locks: the registry lock.
 */
#include "blacklist.h"

struct entry {
	uintptr_t start, end;		/* end exclusive */
	char *name;
};

struct mark {
	uintptr_t start, max_end;	/* largest end up to here */
};

static struct entry *entries;
static size_t entries_nr, entries_max;
static struct mark *marks;
static size_t marks_nr;
static bool marks_stale;

static int reserve(size_t nr)
{
	size_t max = entries_max ? entries_max : 64;
	struct entry *bigger;

	if (nr <= entries_max)
		return 0;
	while (max < nr)
		max *= 2;
	bigger = kp_host_alloc(max * sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	if (entries_nr)
		memcpy(bigger, entries, entries_nr * sizeof(*bigger));
	kp_host_free(entries);
	entries = bigger;
	entries_max = max;
	return 0;
}

static char *copy_name(const char *name)
{
	size_t len = strlen(name) + 1;
	char *copy = kp_host_alloc(len);

	if (copy)
		memcpy(copy, name, len);
	return copy;
}

int kp_core_blacklist_add(uintptr_t start, size_t len, const char *name)
{
	struct entry *entry;
	int err;

	kp_host_lock(KP_LOCK_REGISTRY);
	err = reserve(entries_nr + 1);
	if (!err) {
		entry = &entries[entries_nr];
		entry->start = start;
		entry->end = start + (len ? len : 1);
		entry->name = copy_name(name);
		err = entry->name ? 0 : -ENOMEM;
	}
	if (!err) {
		entries_nr++;
		marks_stale = true;
	}
	kp_host_unlock(KP_LOCK_REGISTRY);
	return err;
}

void kp_core_blacklist_remove(uintptr_t start, size_t len)
{
	size_t i, kept = 0;

	kp_host_lock(KP_LOCK_REGISTRY);
	for (i = 0; i < entries_nr; i++) {
		if (entries[i].start - start < len)
			kp_host_free(entries[i].name);
		else
			entries[kept++] = entries[i];
	}
	entries_nr = kept;
	marks_stale = true;
	kp_host_unlock(KP_LOCK_REGISTRY);
}

/* Heap sort: no recursion, no worst case, nothing to allocate. */
static void sift(struct mark *a, size_t root, size_t nr)
{
	struct mark moved = a[root];

	for (;;) {
		size_t kid = root * 2 + 1;

		if (kid >= nr)
			break;
		if (kid + 1 < nr && a[kid + 1].start > a[kid].start)
			kid++;
		if (a[kid].start <= moved.start)
			break;
		a[root] = a[kid];
		root = kid;
	}
	a[root] = moved;
}

static void sort(struct mark *a, size_t nr)
{
	size_t i;

	for (i = nr / 2; i-- > 0;)
		sift(a, i, nr);
	for (i = nr; i-- > 1;) {
		struct mark last = a[i];

		a[i] = a[0];
		a[0] = last;
		sift(a, 0, i);
	}
}

static bool rebuild(void)
{
	struct mark *fresh = kp_host_alloc((entries_nr + 1) * sizeof(*fresh));
	size_t i;

	if (!fresh)
		return false;
	for (i = 0; i < entries_nr; i++) {
		fresh[i].start = entries[i].start;
		fresh[i].max_end = entries[i].end;
	}
	sort(fresh, entries_nr);
	for (i = 1; i < entries_nr; i++)
		if (fresh[i].max_end < fresh[i - 1].max_end)
			fresh[i].max_end = fresh[i - 1].max_end;
	kp_host_free(marks);
	marks = fresh;
	marks_nr = entries_nr;
	marks_stale = false;
	return true;
}

bool kp_blacklisted(uintptr_t addr)
{
	size_t low = 0, high;

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	/* Without memory for the index nobody can tell: refuse. */
	if (marks_stale && !rebuild())
		return true;
	high = marks_nr;
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (marks[mid].start <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low && marks[low - 1].max_end > addr;
}

/* Visit the ranges in insertion order; the registry lock is held. */
void kp_blacklist_visit(void (*fn)(void *arg, uintptr_t start, uintptr_t end,
				   const char *name), void *arg)
{
	size_t i;

	for (i = 0; i < entries_nr; i++)
		fn(arg, entries[i].start, entries[i].end, entries[i].name);
}

void kp_blacklist_stop(void)
{
	size_t i;

	for (i = 0; i < entries_nr; i++)
		kp_host_free(entries[i].name);
	kp_host_free(entries);
	kp_host_free(marks);
	entries = NULL;
	marks = NULL;
	entries_nr = entries_max = marks_nr = 0;
	marks_stale = false;
}
