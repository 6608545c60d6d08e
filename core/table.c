/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * table.c - address -> site.
 *
 * Owns: the hash table of sites.  Readers (the trap path) take no lock: a site
 * is linked by a release store after it is complete, and freed only after
 * kp_host_wait_handlers.  Each site has two chain links; growing the table
 * builds the new chains through the links that the current table does not
 * use, so a reader always sees one consistent generation.
 *
 * Locks: the registry lock to change anything.
 */
#include "site.h"

#define FIRST_BUCKETS 256u

struct table {
	size_t mask;
	unsigned int link;		/* which next[] this generation uses */
	struct kp_site *buckets[];
};

static struct table *table;		/* lock-free readers */
static size_t site_nr;

KP_TRAP_PATH static size_t hash(uintptr_t addr, size_t mask)
{
	/* Fibonacci hashing: neighbouring instructions spread well. */
	return (size_t)(((uint64_t)addr * 0x9e3779b97f4a7c15u) >> 32) & mask;
}

KP_TRAP_PATH struct kp_site *kp_table_find(uintptr_t addr)
{
	/* Pairs with the release in publish(): buckets and mask belong together. */
	struct table *t = kp_load_acquire(&table);
	struct kp_site *site;

	if (!t)
		return NULL;
	/* Pairs with link_site(): without it a half-built site could be seen. */
	site = kp_load_acquire(&t->buckets[hash(addr, t->mask)]);
	while (site && site->addr != addr)
		site = kp_load_acquire(&site->next[t->link]);
	return site;
}

static void link_site(struct table *t, struct kp_site *site)
{
	struct kp_site **bucket = &t->buckets[hash(site->addr, t->mask)];

	kp_store_relaxed(&site->next[t->link], *bucket);
	/* Pairs with kp_table_find. */
	kp_store_release(bucket, site);
}

static struct table *table_alloc(size_t buckets, unsigned int link)
{
	struct table *t = kp_host_alloc(sizeof(*t) + buckets * sizeof(t->buckets[0]));

	if (t) {
		t->mask = buckets - 1;
		t->link = link;
	}
	return t;
}

static int grow(void)
{
	struct table *old = table, *t;
	struct kp_site *site;

	t = table_alloc(old ? (old->mask + 1) * 4 : FIRST_BUCKETS,
			old ? !old->link : 0);
	if (!t)
		return -ENOMEM;
	for (site = kp_table_next(NULL); site; site = kp_table_next(site))
		link_site(t, site);
	/* Pairs with kp_table_find. */
	kp_store_release(&table, t);
	if (old) {
		kp_host_wait_handlers();
		kp_host_free(old);
	}
	return 0;
}

int kp_table_insert(struct kp_site *site)
{
	kp_host_assert_locked(KP_LOCK_REGISTRY);
	if (!table || site_nr > table->mask * 2) {
		int err = grow();

		/* A table that cannot grow is slower, not wrong. */
		if (err && !table)
			return err;
	}
	link_site(table, site);
	site_nr++;
	return 0;
}

/* The caller frees the site after kp_host_wait_handlers. */
void kp_table_remove(struct kp_site *site)
{
	struct kp_site **link = &table->buckets[hash(site->addr, table->mask)];

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	while (*link != site)
		link = &(*link)->next[table->link];
	kp_store_release(link, site->next[table->link]);
	site_nr--;
}

/* All sites, in table order: NULL gives the first, the last gives NULL. */
struct kp_site *kp_table_next(const struct kp_site *after)
{
	size_t bucket = 0;

	if (!table)
		return NULL;
	if (after) {
		if (after->next[table->link])
			return after->next[table->link];
		bucket = hash(after->addr, table->mask) + 1;
	}
	for (; bucket <= table->mask; bucket++)
		if (table->buckets[bucket])
			return table->buckets[bucket];
	return NULL;
}

/* No reader is left: free everything. */
void kp_table_stop(void)
{
	struct kp_site *site = kp_table_next(NULL);

	while (site) {
		struct kp_site *next = kp_table_next(site);

		kp_site_free(site);
		site = next;
	}
	kp_host_free(table);
	table = NULL;
	site_nr = 0;
}
