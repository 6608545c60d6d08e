/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * lines.c - watched ranges on a protected page, and reporting writes to them.
 *
 * Owns: the lists of a page, one for each 64 bytes, of the ranges that have a byte there.  So a
 * write finds only the ranges that it touches.
 *
 * Locks: the registry lock to change a list; to remove from it, the page's gate must also be
 * closed.  A reader is inside the gate, or is one that the end of a range waits for.
 */
#include "watch/lines.h"
#include "atomic.h"
#include "context.h"
#include "machine.h"
#include "watch.h"
#include "watch/page_table.h"

#define PAGE KP_ARCH_PAGE

/* ---- the lists ---------------------------------------------------------------------- */

static struct kp_page_line *line_of(const struct kp_watch_range *range, size_t i)
{
	return (struct kp_page_line *)range->host + i;
}

bool kp_user_lines_make(struct kp_watch_range *range)
{
	size_t nr = (range->addr + range->len - 1) / 64 - range->addr / 64 + 1, i;

	if (range->host)
		return true;
	range->host = kp_host_alloc(nr * sizeof(struct kp_page_line));
	for (i = 0; range->host && i < nr; i++)
		line_of(range, i)->range = range;
	return range->host;
}

static void link_line(struct kp_page *page, unsigned int line,
		      struct kp_page_line *new)
{
	new->next = page->lines[line];
	/* Pairs with find_ranges(). */
	kp_store_release(&page->lines[line], new);
}

static void unlink_line(struct kp_page *page, unsigned int line,
			const struct kp_page_line *old)
{
	struct kp_page_line **at = &page->lines[line];

	while (*at && *at != old)
		at = &(*at)->next;
	if (*at)
		kp_store_release(at, old->next);	/* pairs with find_ranges() */
}

void kp_user_page_lines(struct kp_page *page, const struct kp_watch_range *range,
			bool in)
{
	uintptr_t first = range->addr / 64, last = (range->addr + range->len - 1) / 64;
	uintptr_t line;

	for (line = first; line <= last; line++) {
		if (line * 64 - page->addr >= PAGE)
			continue;
		if (in)
			link_line(page, line % KP_PAGE_LINES, line_of(range, line - first));
		else
			unlink_line(page, line % KP_PAGE_LINES,
				    line_of(range, line - first));
	}
	page->ranges += in ? 1 : -1u;
}

void kp_host_drop_pages(struct kp_watch_range *range)
{
	if (range->host)
		kp_host_free(range->host);
	range->host = NULL;
}

/* ---- telling ------------------------------------------------------------------------------ */

#define TOLD_MAX 64u			/* ranges that one store can be on */

/* Of those on the page the store is on, added to the nr that are found. */
KP_TRAP_PATH static unsigned int find_ranges(struct kp_page *page,
					     const struct kp_watch_store *store,
					     const struct kp_watch_range **found,
					     unsigned int nr)
{
	uintptr_t end = store->addr + store->len;
	unsigned int line = store->addr < page->addr ? 0 : store->addr % PAGE / 64;
	unsigned int last = end > page->addr + PAGE ? KP_PAGE_LINES - 1
						    : (end - 1) % PAGE / 64, i;

	while (!kp_user_page_enter(page))
		sys3(SYS_sched_yield, 0, 0, 0);
	for (; line <= last; line++) {
		const struct kp_page_line *at = kp_load_acquire(&page->lines[line]);

		for (; at; at = kp_load_acquire(&at->next)) {
			if (at->range->addr >= end ||
			    at->range->addr + at->range->len <= store->addr)
				continue;
			for (i = 0; i < nr && found[i] != at->range; i++)
				;
			if (i == nr && nr < TOLD_MAX)
				found[nr++] = at->range;
		}
	}
	kp_user_page_leave(page);
	return nr;
}

KP_TRAP_PATH void kp_user_page_tell(struct kp_page *page, struct kp_page *beside,
				    struct pt_regs *regs,
				    const struct kp_watch_store *store)
{
	const struct kp_watch_range *found[TOLD_MAX];
	/* What is found cannot go before it has been told. */
	struct kp_context *ctx = kp_host_enter();
	unsigned int nr = find_ranges(page, store, found, 0), i;

	if (beside)
		nr = find_ranges(beside, store, found, nr);
	for (i = 0; i < nr; i++) {
		uintptr_t from = store->addr, to = from + store->len;
		struct kp_watch_store clipped;

		if (from < found[i]->addr)
			from = found[i]->addr;
		if (to > found[i]->addr + found[i]->len)
			to = found[i]->addr + found[i]->len;
		clipped = (struct kp_watch_store){
			from, (unsigned int)(to - from),
			store->before + (from - store->addr),
			store->after + (from - store->addr),
		};
		kp_core_on_store(regs, found[i], &clipped);
	}
	kp_host_leave(ctx);
}

/* A range of several lines counts for its first one on the page. */
KP_TRAP_PATH void kp_user_page_unseen(struct kp_page *page)
{
	struct kp_context *ctx = kp_host_enter();
	unsigned int line;

	for (line = 0; line < KP_PAGE_LINES; line++) {
		const struct kp_page_line *at = kp_load_acquire(&page->lines[line]);

		for (; at; at = kp_load_acquire(&at->next))
			if (!line || at->range->addr >= page->addr + 64 * line)
				kp_core_on_unseen_store(at->range);
	}
	kp_host_leave(ctx);
}
