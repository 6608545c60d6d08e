/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * pages.c - watching memory by its pages' protection.
 *
 * Owns: which pages are protected, and how they are mapped.  A protected page is
 * memory that is mapped twice: where the program has it, without the right to write,
 * and at an alias, where the engine writes for the program (page_store.c).  So it is never
 * open to anybody unseen, and what two threads write at once is as atomic as without
 * us.  Both mappings are of anonymous shared memory, which needs no descriptor: the
 * second one is a copy that mremap(2) makes of the first.
 *
 *	program's, private, writable
 *	   --take-->       program's, shared, read only + alias, writable
 *	   --give back-->  program's, private, writable, with what is there by then
 *
 * While a page changes its mapping its gate is closed: nobody is between looking for
 * the alias and having written there, and who comes tries again.
 *
 * A page is never freed, so that a reader may rest on it; nor is its alias.
 *
 * Locks: the registry lock to take and give back; the lock of this file for how pages
 * are mapped, also on the trap path, so all signals are blocked meanwhile.
 */
#include "pages.h"

#define PAGE KP_ARCH_PAGE
#define TABLE_NR 65536u			/* a power of two */
#define PAGES_MAX (TABLE_NR / 4)
#define WINDOW (2ul << 20)		/* neighbours in one have aliases beside each other */
#define COLOURS_LEN (KP_SHARED_COLOURS * PAGE)	/* a page's alias is the same modulo this */

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

KP_TRAP_PATH static void close_gate(struct kp_page *page)
{
	__atomic_fetch_or(&page->gate, KP_PAGE_CLOSED, __ATOMIC_SEQ_CST);
	/* Who is inside waits for nobody. */
	while (__atomic_load_n(&page->gate, __ATOMIC_SEQ_CST) != KP_PAGE_CLOSED)
		sys3(SYS_sched_yield, 0, 0, 0);
}

KP_TRAP_PATH static void open_gate(struct kp_page *page)
{
	__atomic_fetch_and(&page->gate, ~KP_PAGE_CLOSED, __ATOMIC_SEQ_CST);
}

/* ---- how it is mapped: the lock, the gate closed -------------------------------------- */

KP_TRAP_PATH static long protect(uintptr_t addr, int prot)
{
	return sys3(SYS_mprotect, addr, PAGE, prot);
}

/*
 * Memory for both, at the alias.  Of more than one page, where it matters which of them
 * the program's is.
 */
KP_TRAP_PATH static long map_alias(const struct kp_page *page)
{
	const size_t len = COLOURS_LEN;
	long whole, at;

	if (KP_SHARED_COLOURS == 1)
		return sys6(SYS_mmap, (long)page->alias, PAGE, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	whole = sys6(SYS_mmap, 0, (long)len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (sys_failed(whole))
		return whole;
	at = sys6(SYS_mremap, whole + (long)(page->addr & (len - PAGE)), 0, PAGE,
		  MREMAP_MAYMOVE | MREMAP_FIXED, (long)page->alias, 0);
	sys3(SYS_munmap, whole, len, 0);
	return at;
}

/*
 * The second mapping, of what is at from, which nobody writes to.  -errno: the page is
 * as it was, but without the right to write.
 */
KP_TRAP_PATH static long join(struct kp_page *page, const void *from)
{
	long at = map_alias(page);

	if (sys_failed(at))
		return at;
	at = kp_user_copy(page->alias, from, PAGE);
	/* The copy of a mapping has its rights: never the one to write. */
	if (!at)
		at = protect((uintptr_t)page->alias, PROT_READ);
	if (!at)
		at = sys6(SYS_mremap, (long)page->alias, 0, PAGE,
			  MREMAP_MAYMOVE | MREMAP_FIXED, (long)page->addr, 0);
	if (sys_failed(at))
		return at;
	return protect((uintptr_t)page->alias, PROT_READ | PROT_WRITE);
}

/* The program's private memory again. */
KP_TRAP_PATH static void part(struct kp_page *page)
{
	char *copy = sys_mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1);

	protect(page->addr, PROT_READ);
	if (copy)
		memcpy(copy, page->alias, PAGE);
	if (!copy ||
	    sys_failed(sys6(SYS_mremap, (long)copy, PAGE, PAGE,
			    MREMAP_MAYMOVE | MREMAP_FIXED, (long)page->addr, 0)))
		/* Shared with nobody but the alias, as long as it does not fork. */
		protect(page->addr, PROT_READ | PROT_WRITE);
}

/*
 * Who waits for a futex there, that may be another process's too, is known to the kernel by
 * the memory, not by the address: nobody would find him any more.  He looks again.
 */
KP_TRAP_PATH static void wake_all(const char *at)
{
	unsigned int i;

	for (i = 0; i < PAGE; i += 4)
		sys6(SYS_futex, (long)(at + i), 1 /* FUTEX_WAKE */, 0x7fffffff, 0, 0, 0);
}

KP_TRAP_PATH void kp_user_page_bare(struct kp_page *page, bool on)
{
	if (!page->joined)
		return;
	/* A forked child has forgotten who opened it. */
	if (!on && !page->bare)
		return;
	page->bare += on ? 1 : -1u;
	if (page->bare == on)
		protect(page->addr, on ? PROT_READ | PROT_WRITE : PROT_READ);
}

/*
 * It is nobody's watched page any more.  Where its mapping changes, that is behind
 * it, and the gate closed: a fault there is from before that, or the program's own.
 */
KP_TRAP_PATH static void is_given(struct kp_page *page)
{
	/* In this order: pairs with page_store.c, which looks at live, then at given. */
	kp_store_release(&page->given, page->given + 1);
	kp_store_release(&page->live, false);
}

KP_TRAP_PATH void kp_user_page_give_back(struct kp_page *page)
{
	if (!page->live)
		return;
	/* Who is about to protect it looks at that. */
	if (!page->joined) {
		is_given(page);
		return;
	}
	close_gate(page);
	part(page);
	is_given(page);
	wake_all(page->alias);
	page->moved = true;
	page->joined = false;
	page->bare = 0;
	open_gate(page);
}

/* Is it there, and moved? */
KP_TRAP_PATH static bool is_moved(const struct kp_page *page, uintptr_t start,
				  size_t len)
{
	return page->moved && page->addr < start + len &&
	       start < page->addr + PAGE;
}

/*
 * New memory at the page: 1. that is not joined with what lies beside the range,
 * 2. but with what is in it.
 */
KP_TRAP_PATH static bool map_anew(const struct kp_page *page)
{
	if (sys_failed(sys6(SYS_mmap, (long)page->addr, PAGE, PROT_READ,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)))
		return false;
	sys3(SYS_madvise, page->addr, PAGE, MADV_SEQUENTIAL);
	protect(page->addr, PROT_READ | PROT_WRITE);
	return true;
}

/*
 * The system does not join what has been moved with its neighbours, and mremap(2) takes
 * no two mappings at once.  So for one that is asked for, what is in the range becomes
 * as if it had been there always; the program waits for that call.  It is joined with
 * the rest before anything is written there, and meanwhile the range differs in advice,
 * which means nothing here, from what it must not be joined with instead.
 */
KP_TRAP_PATH static void settle(uintptr_t start, size_t len)
{
	unsigned int i, nr = 0, at = 0;
	char *copy;

	for (i = 0; i < all_nr; i++)
		nr += is_moved(all[i], start, len);
	copy = nr ? sys_mmap(NULL, (size_t)nr * PAGE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1) : NULL;
	if (!copy)
		return;
	sys3(SYS_madvise, start, len, MADV_SEQUENTIAL);
	for (i = 0; i < all_nr; i++) {
		if (!is_moved(all[i], start, len))
			continue;
		if (kp_user_copy(copy + PAGE * at, (const void *)all[i]->addr,
				 PAGE) || !map_anew(all[i]))
			all[i]->moved = false;
		else
			at++;
	}
	for (i = at = 0; i < all_nr; i++)
		if (is_moved(all[i], start, len))
			kp_user_copy((void *)all[i]->addr, copy + PAGE * at++,
				     PAGE);
	sys3(SYS_madvise, start, len, MADV_NORMAL);
	sys3(SYS_munmap, copy, (size_t)nr * PAGE, 0);
}

KP_TRAP_PATH void kp_user_pages_change(uintptr_t start, size_t len, bool moves)
{
	unsigned int i;

	kp_user_pages_lock();
	for (i = 0; i < all_nr; i++) {
		struct kp_page *page = all[i];

		if (page->addr >= start + len || start >= page->addr + PAGE)
			continue;
		if (page->live)
			kp_store_release(&page->gone, true);
		kp_user_page_give_back(page);
	}
	if (moves)
		settle(start, len);
	for (i = 0; i < all_nr; i++)
		if (is_moved(all[i], start, len))
			all[i]->moved = false;
	kp_user_pages_unlock();
}

/*
 * fork: a child would share the memory of both mappings with its parent.  So all are
 * closed, what they hold is copied to private memory, and the child makes new ones of
 * that.  The parent's stay as they are: a system call may be writing there.
 */
static char *snapshot;			/* by the lock */
static size_t snapshot_len;

KP_TRAP_PATH int kp_user_pages_before_fork(void)
{
	unsigned int i, nr = 0;

	for (i = 0; i < all_nr; i++)
		nr += all[i]->joined;
	snapshot_len = (size_t)nr * PAGE;
	snapshot = nr ? sys_mmap(NULL, snapshot_len, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1) : NULL;
	if (nr && !snapshot)
		return -ENOMEM;
	for (i = nr = 0; i < all_nr; i++)
		if (all[i]->joined) {
			close_gate(all[i]);
			memcpy(snapshot + PAGE * nr++, all[i]->alias, PAGE);
		}
	return 0;
}

KP_TRAP_PATH static void renew(struct kp_page *page, const char *from)
{
	page->bare = 0;
	if (!join(page, from))
		return;
	/* Not shared with the parent, whatever happens. */
	sys6(SYS_mmap, (long)page->addr, PAGE, PROT_READ | PROT_WRITE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	kp_user_copy((void *)page->addr, from, PAGE);
	page->joined = false;
	is_given(page);
	kp_store_release(&page->gone, true);
}

KP_TRAP_PATH void kp_user_pages_after_fork(bool child)
{
	unsigned int i, nr = 0;

	for (i = 0; i < all_nr; i++) {
		/* One that somebody is about to protect: nobody does in the child. */
		if (child && !all[i]->joined && all[i]->live) {
			is_given(all[i]);
			all[i]->gate = 0;
		}
		if (!all[i]->joined)
			continue;
		if (child)
			renew(all[i], snapshot + PAGE * nr);
		nr++;
		open_gate(all[i]);
	}
	if (snapshot)
		sys3(SYS_munmap, snapshot, snapshot_len, 0);
	snapshot = NULL;
}

/* ---- start -------------------------------------------------------------------------------- */

/* From now on each system call that may write is looked at (passage.c). */
static int begin(const char **reason)
{
	struct kp_page **new;
	int err;

	if (kp_user_pages_on)
		return 0;
	kp_user_pages_know_thread();
	kp_user_page_fault_init();
	kp_user_outs_init();
	/* Since it was left the masks were the program's: they are looked at again. */
	new = table ? table : sys_mmap(NULL, TABLE_NR * sizeof(*new), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
	*reason = "out of memory";
	if (!new)
		return -ENOMEM;
	err = kp_user_calls_all(reason);
	if (err)
		goto free_table;
	/* Before masks are looked at: from here on none blocks it (mask.c). */
	kp_store_release(&kp_user_pages_on, true);
	*reason = kp_user_pages_disturb();
	if (*reason) {
		kp_store_release(&kp_user_pages_on, false);
		err = -EBUSY;
		goto free_table;
	}
	/* Pairs with find(). */
	kp_store_release(&table, new);
	return 0;
free_table:
	if (new != table)
		sys3(SYS_munmap, new, TABLE_NR * sizeof(*new), 0);
	return err;
}

void kp_user_pages_end(void)
{
	kp_store_release(&kp_user_pages_on, false);
}

/* ---- taking and giving back: the registry lock --------------------------------------------- */

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
	known[nr].window = sys_mmap(NULL, WINDOW + COLOURS_LEN - PAGE, PROT_NONE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
	if (!known[nr].window)
		return NULL;
	known[nr].window += -(uintptr_t)known[nr].window & (COLOURS_LEN - PAGE);
	known[nr].base = base;
	return known[nr++].window + (addr - base);
}

static struct kp_page *make_page(uintptr_t addr)
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

/*
 * 1. The page is closed and live: system calls that begin now wait.
 * 2. All threads are asked where they are; who is in the kernel is seen.
 * 3. The mapping is changed, and the page opened.
 */
static int take(uintptr_t addr, struct kp_page **out, const char **reason)
{
	struct kp_page *page = make_page(addr);
	const char *why;
	int err = -EINVAL;

	*reason = "out of memory";
	*out = page;
	if (!page)
		return -ENOMEM;
	if (page->live)
		return 0;
	kp_user_pages_lock();
	close_gate(page);
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
			err = (int)protect(addr, PROT_READ);
		if (!err)
			err = (int)join(page, (const void *)addr);
		if (err) {
			why = "the system does not protect this page";
			protect(addr, PROT_READ | PROT_WRITE);
		}
	}
	page->joined = !why;
	if (why)
		is_given(page);
	kp_user_pages_unlock();
	open_gate(page);
	if (!why)
		kp_user_page_changed(addr);
	*reason = why;
	return why ? err : 0;
}

static void leave_page(struct kp_page *page, const struct kp_watch_range *range)
{
	/* Who reads the lines is inside. */
	kp_user_pages_lock();
	close_gate(page);
	kp_user_page_lines(page, range, false);
	open_gate(page);
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
		leave_page(find(at), range);
	}
	return err;
}

void kp_host_unwatch_pages(struct kp_watch_range *range)
{
	uintptr_t at = range->addr & ~(uintptr_t)(PAGE - 1);

	for (; at < range->addr + range->len; at += PAGE)
		leave_page(find(at), range);
}

bool kp_host_watch_pages_near(const struct kp_watch_range *range)
{
	return kp_user_page_next(NULL, range->addr, range->len);
}

bool kp_host_watch_pages_gone(const struct kp_watch_range *range)
{
	uintptr_t at = range->addr & ~(uintptr_t)(PAGE - 1);

	for (; at < range->addr + range->len; at += PAGE)
		if (kp_load_acquire(&find(at)->gone))
			return true;
	return false;
}
