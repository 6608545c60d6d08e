/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * batch.c - sites whose text changes together.
 *
 * Owns: the lists of such sites.  A site is on at most one of them (site->queued), and nothing
 * is allocated for it.
 *
 * Locks: the registry lock.
 */
#include "batch.h"

void kp_batch_add(struct kp_batch *batch, struct kp_site *site)
{
	kp_host_assert_locked(KP_LOCK_REGISTRY);
	if (site->queued)
		return;
	site->queued = true;
	site->batch_next = NULL;
	if (batch->first)
		batch->last->batch_next = site;
	else
		batch->first = site;
	batch->last = site;
}

struct kp_site *kp_batch_pop(struct kp_batch *batch)
{
	struct kp_site *site = batch->first;

	if (site) {
		batch->first = site->batch_next;
		site->batch_next = NULL;
		site->queued = false;
	}
	return site;
}

/* Forget the batch without touching the text. */
void kp_batch_clear(struct kp_batch *batch)
{
	while (kp_batch_pop(batch))
		;
}

/* Two ascending lists in one. */
static struct kp_site *merge(struct kp_site *a, struct kp_site *b)
{
	struct kp_site *first = NULL, **link = &first;

	while (a && b) {
		struct kp_site **from = a->addr < b->addr ? &a : &b;

		*link = *from;
		link = &(*from)->batch_next;
		*from = *link;
	}
	*link = a ? a : b;
	return first;
}

/*
 * By address: what is near is written at once, and what the host looks up for
 * one site, it knows for the next.  Runs are merged pairwise, those of 2^n
 * sites with their like, as bits carry in a counter.
 */
void kp_batch_sort(struct kp_batch *batch)
{
	struct kp_site *runs[64] = { NULL }, *site = batch->first, *run;
	unsigned int i;

	kp_host_assert_locked(KP_LOCK_REGISTRY);
	if (batch->first == batch->last)
		return;
	while ((run = site)) {
		site = run->batch_next;
		run->batch_next = NULL;
		for (i = 0; runs[i]; i++) {
			run = merge(runs[i], run);
			runs[i] = NULL;
		}
		runs[i] = run;
	}
	for (i = 0; i < 64; i++)
		run = merge(runs[i], run);
	batch->first = run;
	for (batch->last = run; run; run = run->batch_next)
		batch->last = run;
}
