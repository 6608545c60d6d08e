/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * table.h - looking an address up.
 *
 * Owns: the look, as it is inlined where every trap passes; table.c says how the
 * table changes.
 *
 * Locks: none.
 */
#ifndef KP_CORE_TABLE_H
#define KP_CORE_TABLE_H

#include "site.h"

struct kp_table {
	size_t mask;
	unsigned int link;		/* which next[] this generation uses */
	struct kp_site *buckets[];
};

extern struct kp_table *kp_table;	/* lock-free readers */

struct kp_site *kp_table_find(uintptr_t addr);		/* any context */
int kp_table_insert(struct kp_site *site);
void kp_table_remove(struct kp_site *site);
struct kp_site *kp_table_next(const struct kp_site *after);	/* any context */
/* No reader is left: each site is freed by fn. */
void kp_table_stop(void (*fn)(struct kp_site *site));

static inline __attribute__((__always_inline__)) size_t
kp_table_hash(uintptr_t addr, size_t mask)
{
	return kp_hash(addr) & mask;
}

/* As kp_table_find. */
static inline __attribute__((__always_inline__)) struct kp_site *
kp_table_look(uintptr_t addr)
{
	/* Pairs with the release in grow(): buckets and mask belong together. */
	struct kp_table *t = kp_load_acquire(&kp_table);
	struct kp_site *site;

	if (!t)
		return NULL;
	/* Pairs with link_site(): without it a half-built site could be seen. */
	site = kp_load_acquire(&t->buckets[kp_table_hash(addr, t->mask)]);
	while (site && site->addr != addr)
		site = kp_load_acquire(&site->next[t->link]);
	return site;
}

#endif
