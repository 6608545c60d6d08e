/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * pages.c - watching memory by its pages' protection.
 *
 * Owns: which ranges are watched in this way, and the order in which a page is taken from the
 * program and given back (page_table.c, page_alias.c).
 *
 * Locks: the registry lock.
 */
#include "watch/pages.h"
#include "atomic.h"
#include "machine.h"
#include "watch.h"
#include "process/ids.h"
#include "signals/mask_wanted.h"
#include "signals/outs_table.h"
#include "watch/calls_all.h"
#include "watch/disturbed.h"
#include "watch/lines.h"
#include "watch/page_alias.h"
#include "watch/page_store.h"
#include "watch/page_table.h"
#include "watch/passage.h"

#define PAGE KP_ARCH_PAGE

/* ---- start -------------------------------------------------------------------------------- */

/* From now on each system call that may write is looked at (passage.c). */
static int begin(const char **reason)
{
	int err;

	if (kp_user_pages_on)
		return 0;
	kp_user_pages_know_thread();
	kp_user_page_fault_init();
	kp_user_outs_init();
	*reason = "out of memory";
	if (!kp_user_page_table_make())
		return -ENOMEM;
	err = kp_user_calls_all(reason);
	if (err)
		return err;
	/* Before masks are looked at: from here on none blocks it (mask.c). */
	kp_store_release(&kp_user_pages_on, true);
	*reason = kp_user_pages_disturb();
	if (*reason) {
		kp_store_release(&kp_user_pages_on, false);
		return -EBUSY;
	}
	return 0;
}

void kp_user_pages_end(void)
{
	kp_store_release(&kp_user_pages_on, false);
}

/* ---- taking and giving back: the registry lock --------------------------------------------- */

/*
 * 1. The page is closed and live: system calls that begin now wait.
 * 2. All threads are asked where they are; who is in the kernel is seen.
 * 3. The mapping is changed, and the page opened.
 */
static int take(uintptr_t addr, struct kp_page **out, const char **reason)
{
	struct kp_page *page = kp_user_page_make(addr);
	const char *why;
	int err = -EINVAL;

	*reason = "out of memory";
	*out = page;
	if (!page)
		return -ENOMEM;
	if (page->live)
		return 0;
	kp_user_pages_lock();
	kp_user_page_close(page);
	page->gone = false;
	kp_store_release(&page->live, true);
	kp_user_pages_unlock();
	why = kp_user_page_disturbs(addr);
	kp_user_pages_lock();
	if (!why && !page->live)
		why = "the program changes its mapping";
	if (!why && kp_user_passage_on(page))
		why = "a system call still writes to what this page was when it was watched before";
	if (!why) {
		err = kp_own_page(addr);
		if (!err)
			err = (int)sys3(SYS_mprotect, addr, PAGE, PROT_READ);
		if (!err)
			err = (int)kp_user_page_join(page, (const void *)addr);
		if (err) {
			why = "the system does not protect this page";
			sys3(SYS_mprotect, addr, PAGE, PROT_READ | PROT_WRITE);
		}
	}
	page->joined = !why;
	if (why)
		kp_user_page_given(page);
	kp_user_pages_unlock();
	kp_user_page_open(page);
	if (!why)
		kp_user_page_changed(addr);
	*reason = why;
	return why ? err : 0;
}

static void leave_page(struct kp_page *page, const struct kp_watch_range *range)
{
	/* Who reads the lines is inside. */
	kp_user_pages_lock();
	kp_user_page_close(page);
	kp_user_page_lines(page, range, false);
	kp_user_page_open(page);
	if (!page->ranges)
		kp_user_page_give_back(page);
	kp_user_pages_unlock();
}

int kp_host_watch_pages(struct kp_watch_range *range, const char **reason)
{
	uintptr_t first = range->addr & ~(uintptr_t)(PAGE - 1), at;
	struct kp_page *page;
	int err;

	*reason = "the program filters its system calls";
	if (kp_user_filtered())
		return -EPERM;
	err = begin(reason);
	if (err)
		return err;
	*reason = "out of memory";
	if (!kp_user_lines_make(range))
		return -ENOMEM;
	for (at = first; at < range->addr + range->len; at += PAGE) {
		err = take(at, &page, reason);
		if (err)
			break;
		kp_user_page_lines(page, range, true);
	}
	while (err && at > first) {
		at -= PAGE;
		leave_page(kp_user_page_known(at), range);
	}
	return err;
}

void kp_host_unwatch_pages(struct kp_watch_range *range)
{
	uintptr_t at = range->addr & ~(uintptr_t)(PAGE - 1);

	for (; at < range->addr + range->len; at += PAGE)
		leave_page(kp_user_page_known(at), range);
}

bool kp_host_watch_pages_near(const struct kp_watch_range *range)
{
	return kp_user_page_next(NULL, range->addr, range->len);
}

bool kp_host_watch_pages_gone(const struct kp_watch_range *range)
{
	uintptr_t at = range->addr & ~(uintptr_t)(PAGE - 1);

	for (; at < range->addr + range->len; at += PAGE)
		if (kp_load_acquire(&kp_user_page_known(at)->gone))
			return true;
	return false;
}
