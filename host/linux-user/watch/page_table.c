/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * page_table.c - which pages are watched by their protection.
 *
 * Owns: the table from an address to its page; a page's gate; the lock that guards how pages are
 * mapped (page_alias.c); and where a page's alias is.
 *
 * While a page changes its mapping its gate is closed: nobody is between looking for the alias
 * and having written there, and who comes tries again.  A page is never freed, so that a reader
 * may rest on it; nor is its alias.
 *
 * Locks: the registry lock to make pages; the lock of this file is for the trap path, too, so
 * all signals are blocked meanwhile.
 */
#include "watch/page_table.h"
#include "atomic.h"
#include "host.h"
#include "machine.h"
#include "signal_sets.h"
#include "thread.h"

#define PAGE KP_ARCH_PAGE
#define TABLE_NR 65536u			/* a power of two */
#define PAGES_MAX (TABLE_NR / 4)
#define WINDOW (2ul << 20)		/* neighbours in one have aliases beside each other */

static struct kp_page **table;		/* lock-free readers; written once each */
static struct kp_page *all[PAGES_MAX];	/* append only, then all_nr */
static unsigned int all_nr;
static int locked;			/* the lock */

/* ---- the lock ---------------------------------------------------------------------- */

KP_TRAP_PATH void kp_user_pages_lock(void)
{
	sys_sigset most = ~KP_SIG_OWN, before;

	sys_sigprocmask(SIG_BLOCK, &most, &before);
	/* Acquire: pairs with the release in kp_user_pages_unlock. */
	while (__atomic_exchange_n(&locked, 1, __ATOMIC_ACQUIRE))
		sys3(SYS_sched_yield, 0, 0, 0);
	kp_user_thread()->before_lock = before;
}

KP_TRAP_PATH void kp_user_pages_unlock(void)
{
	sys_sigset before = kp_user_thread()->before_lock;

	kp_store_release(&locked, 0);
	sys_sigprocmask(SIG_SETMASK, &before, NULL);
}

/* ---- the table ---------------------------------------------------------------------- */

KP_TRAP_PATH static unsigned int slot_of(uintptr_t page)
{
	return (unsigned int)((page * 0x9e3779b97f4a7c15ul) >> 40) &
	       (TABLE_NR - 1);
}

KP_TRAP_PATH static struct kp_page *find(uintptr_t addr)
{
	/* Acquires: pair with the releases in make_page. */
	struct kp_page **in = kp_load_acquire(&table), *page;
	unsigned int i;

	addr &= ~(uintptr_t)(PAGE - 1);
	for (i = slot_of(addr); in; i = (i + 1) & (TABLE_NR - 1)) {
		page = kp_load_acquire(&in[i]);
		if (!page || page->addr == addr)
			return page;
	}
	return NULL;
}

KP_TRAP_PATH struct kp_page *kp_user_page_at(uintptr_t addr)
{
	struct kp_page *page = find(addr);

	return page && kp_load_acquire(&page->live) ? page : NULL;
}

KP_TRAP_PATH struct kp_page *kp_user_page_known(uintptr_t addr)
{
	return find(addr);
}

/* By address, or, where that is a long way, one after the other. */
KP_TRAP_PATH struct kp_page *kp_user_page_next(struct kp_page *after,
					       uintptr_t start, size_t len)
{
	unsigned int nr = kp_load_acquire(&all_nr), i = 0;
	uintptr_t at = after ? after->addr + PAGE : start & ~(uintptr_t)(PAGE - 1);
	struct kp_page *page;

	if (!len || start + len < start)
		len = -start;
	if (len / PAGE <= nr) {
		for (; at - start < len || start - at < PAGE; at += PAGE)
			if ((page = kp_user_page_at(at)))
				return page;
		return NULL;
	}
	for (i = 0; after && all[i] != after; i++)
		;
	for (i += after ? 1 : 0; i < nr; i++) {
		page = kp_load_relaxed(&all[i]);
		if (kp_load_acquire(&page->live) && page->addr < start + len &&
		    start < page->addr + PAGE)
			return page;
	}
	return NULL;
}

/* ---- the gate ------------------------------------------------------------------------ */

KP_TRAP_PATH bool kp_user_page_enter(struct kp_page *page)
{
	if (!(__atomic_fetch_add(&page->gate, 1, __ATOMIC_SEQ_CST) &
	      KP_PAGE_CLOSED))
		return true;
	kp_user_page_leave(page);
	return false;
}

KP_TRAP_PATH void kp_user_page_leave(struct kp_page *page)
{
	__atomic_fetch_sub(&page->gate, 1, __ATOMIC_SEQ_CST);
}

KP_TRAP_PATH void kp_user_page_close(struct kp_page *page)
{
	__atomic_fetch_or(&page->gate, KP_PAGE_CLOSED, __ATOMIC_SEQ_CST);
	/* Who is inside waits for nobody. */
	while (__atomic_load_n(&page->gate, __ATOMIC_SEQ_CST) != KP_PAGE_CLOSED)
		sys3(SYS_sched_yield, 0, 0, 0);
}

KP_TRAP_PATH void kp_user_page_open(struct kp_page *page)
{
	__atomic_fetch_and(&page->gate, ~KP_PAGE_CLOSED, __ATOMIC_SEQ_CST);
}

/* ---- new pages: the registry lock ------------------------------------------------------ */

bool kp_user_page_table_make(void)
{
	struct kp_page **new;

	if (table)
		return true;
	new = sys_mmap(NULL, TABLE_NR * sizeof(*new), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
	/* Pairs with find(). */
	kp_store_release(&table, new);
	return new;
}

/* Aliases of neighbours are neighbours, so that a system call can write to several. */
static char *window_of(uintptr_t addr)
{
	static struct {
		uintptr_t base;
		char *window;
	} known[256];
	static unsigned int nr;
	uintptr_t base = addr & ~(WINDOW - 1);
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (known[i].base == base)
			return known[i].window + (addr - base);
	if (nr == sizeof(known) / sizeof(known[0]))
		return NULL;
	known[nr].window = sys_mmap(NULL, WINDOW + KP_PAGE_COLOURS - PAGE, PROT_NONE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
	if (!known[nr].window)
		return NULL;
	known[nr].window += -(uintptr_t)known[nr].window & (KP_PAGE_COLOURS - PAGE);
	known[nr].base = base;
	return known[nr++].window + (addr - base);
}

struct kp_page *kp_user_page_make(uintptr_t addr)
{
	struct kp_page *page = find(addr);
	unsigned int i = slot_of(addr);

	if (page || all_nr == PAGES_MAX)
		return page;
	page = kp_host_alloc(sizeof(*page));
	if (!page)
		return NULL;
	page->addr = addr;
	page->alias = window_of(addr);
	if (!page->alias) {
		kp_host_free(page);
		return NULL;
	}
	while (table[i])
		i = (i + 1) & (TABLE_NR - 1);
	/* Pairs with find() and kp_user_page_next(). */
	kp_store_release(&table[i], page);
	all[all_nr] = page;
	kp_store_release(&all_nr, all_nr + 1);
	return page;
}

/* In the order of their making; NULL: there are no more. */
KP_TRAP_PATH struct kp_page *kp_user_page_nth(unsigned int i)
{
	return i < kp_load_acquire(&all_nr) ? all[i] : NULL;
}
