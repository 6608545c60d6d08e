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
#include "table.h"

#define FIRST_BUCKETS 256u

struct kp_table *kp_table;		/* lock-free readers */
static size_t site_nr;

KP_TRAP_PATH struct kp_site *kp_table_find(uintptr_t addr)
{
	return kp_table_look(addr);
}

static void link_site(struct kp_table *t, struct kp_site *site)
{
	struct kp_site **bucket =
		&t->buckets[kp_table_hash(site->addr, t->mask)];

	kp_store_relaxed(&site->next[t->link], *bucket);
	/* Pairs with kp_table_look. */
	kp_store_release(bucket, site);
}

static struct kp_table *table_alloc(size_t buckets, unsigned int link)
{
	struct kp_table *t =
		kp_host_alloc(sizeof(*t) + buckets * sizeof(t->buckets[0]));

	if (t) {
		t->mask = buckets - 1;
		t->link = link;
	}
	return t;
}

static int grow(void)
{
	struct kp_table *old = kp_table, *t;
	struct kp_site *site;

	t = table_alloc(old ? (old->mask + 1) * 4 : FIRST_BUCKETS,
			old ? !old->link : 0);
	if (!t)
		return -ENOMEM;
	for (site = kp_table_next(NULL); site; site = kp_table_next(site))
		link_site(t, site);
	/* Pairs with kp_table_look. */
	kp_store_release(&kp_table, t);
	if (old) {
		kp_host_wait_handlers();
		kp_host_free(old);
	}
	return 0;
}

int kp_table_insert(struct kp_site *site)
{
	kp_host_assert_locked(KP_LOCK_REGISTRY);
	if (!kp_table || site_nr > kp_table->mask * 2) {
		int err = grow();

		/* A table that cannot grow is slower, not wrong. */
		if (err && !kp_table)
			return err;
	}
	link_site(kp_table, site);
	site_nr++;
	return 0;
}

/* The caller frees the site after kp_host_wait_handlers. */
void kp_table_remove(struct kp_site *site)
{
	struct kp_site **link =
		&kp_table->buckets[kp_table_hash(site->addr, kp_table->mask)];

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	while (*link != site)
		link = &(*link)->next[kp_table->link];
	/* Pairs with kp_table_look: a reader on this one still finds its way on. */
	kp_store_release(link, site->next[kp_table->link]);
	site_nr--;
}

/* All sites, in table order: NULL gives the first, the last gives NULL. */
/* A reader that holds no lock may see some site twice, or not, while the table grows. */
KP_TRAP_PATH struct kp_site *kp_table_next(const struct kp_site *after)
{
	/* As in kp_table_look. */
	struct kp_table *t = kp_load_acquire(&kp_table);
	struct kp_site *site = NULL;
	size_t bucket = 0;

	if (!t)
		return NULL;
	if (after) {
		site = kp_load_acquire(&after->next[t->link]);
		bucket = kp_table_hash(after->addr, t->mask) + 1;
	}
	for (; !site && bucket <= t->mask; bucket++)
		site = kp_load_acquire(&t->buckets[bucket]);
	return site;
}

void kp_table_stop(void (*fn)(struct kp_site *site))
{
	struct kp_site *site = kp_table_next(NULL);

	while (site) {
		struct kp_site *next = kp_table_next(site);

		fn(site);
		site = next;
	}
	kp_host_free(kp_table);
	kp_table = NULL;
	site_nr = 0;
}
