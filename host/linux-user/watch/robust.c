/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * robust.c - what the kernel writes when a thread ends, on protected pages.
 *
 * Owns: the thread's last system call.  The kernel marks the robust futexes that it
 * still holds, and clears the word that says that it lives; on a protected page it
 * cannot, and tells nobody.
 *
 * 1. A robust futex is marked here, where the engine writes, and who waits is woken, as
 *    robust_futex(2) says.  The kernel finds nothing of the thread's there any more.
 * 2. The word of set_tid_address(2) has to change last: its page is given back.
 *
 * Trap path.
 */
#include "watch/robust.h"
#include "thread.h"
#include "atomic.h"
#include "machine.h"
#include "freestanding/copy.h"
#include "process/ids.h"
#include "watch/page_alias.h"
#include "watch/page_table.h"

#include <linux/futex.h>
#include <linux/prctl.h>

#define PAGE KP_ARCH_PAGE
#define PR_GET_TID 40			/* PR_GET_TID_ADDRESS */
#define ENTRIES_MAX 2048		/* more the kernel does not look at either */
#define PI 1ul				/* in a pointer of the list */

struct head {
	unsigned long first;
	long offset;
	unsigned long pending;
};

static const uint32_t waiters = FUTEX_WAITERS, died = FUTEX_OWNER_DIED;

KP_TRAP_PATH static void mark(uintptr_t word, bool pi, uint32_t tid)
{
	struct kp_page *page = kp_user_page_at(word);
	uint32_t *at, now;
	bool marked = false;

	if (!page || word % sizeof(*at))
		return;
	while (!kp_user_page_enter(page)) {
		sys3(SYS_sched_yield, 0, 0, 0);
		if (!kp_user_page_at(word))
			return;
	}
	/* It may have been given back just now; then the kernel can. */
	if (kp_load_acquire(&page->live)) {
		at = (uint32_t *)(page->alias + word % PAGE);
		now = __atomic_load_n(at, __ATOMIC_SEQ_CST);
		while ((now & FUTEX_TID_MASK) == tid && !marked)
			marked = __atomic_compare_exchange_n(at, &now, (now & waiters) | died, false,
							     __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	}
	kp_user_page_leave(page);
	/* Those of the other kind the kernel has a list of. */
	if (marked && !pi && (now & waiters))
		sys6(SYS_futex, (long)word, FUTEX_WAKE, 1, 0, 0, 0);
}

KP_TRAP_PATH static void mark_all(void)
{
	unsigned long at, len = 0, entry, next;
	uint32_t tid = (uint32_t)kp_user_gettid();
	struct head head;
	int i;

	at = 0;
	if (sys3(SYS_get_robust_list, 0, &at, &len) || !at ||
	    kp_user_copy(&head, (const void *)at, sizeof(head)))
		return;
	for (i = 0, entry = head.first; i < ENTRIES_MAX && (entry & ~PI) != at; i++) {
		if (kp_user_copy(&next, (const void *)(entry & ~PI), sizeof(next)))
			break;
		if ((entry & ~PI) != (head.pending & ~PI))
			mark((entry & ~PI) + (unsigned long)head.offset, entry & PI, tid);
		entry = next;
	}
	if (head.pending & ~PI)
		mark((head.pending & ~PI) + (unsigned long)head.offset, head.pending & PI, tid);
}

KP_TRAP_PATH void kp_user_robust_end(void)
{
	unsigned long word = 0;

	mark_all();
	if (!sys4(SYS_prctl, PR_GET_TID, &word, 0, 0) && kp_user_page_at(word))
		kp_user_pages_change(word & ~(PAGE - 1ul), PAGE, false);
}
