/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * page_alias.c - a protected page is memory that is mapped twice.
 *
 * Owns: both mappings: where the program has it, without the right to write, and at an alias,
 * where the engine writes for the program (page_store.c).  So it is never open to anybody unseen,
 * and what two threads write at once is as atomic as without us.  Both mappings are of anonymous
 * shared memory, which needs no descriptor: the second one is a copy that mremap(2) makes of the
 * first.
 *
 *	program's, private, writable
 *	   --join-->       program's, shared, read only + alias, writable
 *	   --give back-->  program's, private, writable, with what is there by then
 *
 * Locks: page_table.c's, with the page's gate closed.
 */
#include "watch/page_alias.h"
#include "atomic.h"
#include "machine.h"
#include "freestanding/copy.h"
#include "watch/page_table.h"

#define PAGE KP_ARCH_PAGE

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
	const size_t len = KP_PAGE_COLOURS;
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
KP_TRAP_PATH long kp_user_page_join(struct kp_page *page, const void *from)
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
KP_TRAP_PATH void kp_user_page_given(struct kp_page *page)
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
		kp_user_page_given(page);
		return;
	}
	kp_user_page_close(page);
	part(page);
	kp_user_page_given(page);
	wake_all(page->alias);
	page->moved = true;
	page->joined = false;
	page->bare = 0;
	kp_user_page_open(page);
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
	struct kp_page *page;
	unsigned int i, nr = 0, at = 0;
	char *copy;

	for (i = 0; (page = kp_user_page_nth(i)); i++)
		nr += is_moved(page, start, len);
	copy = nr ? sys_mmap(NULL, (size_t)nr * PAGE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1) : NULL;
	if (!copy)
		return;
	sys3(SYS_madvise, start, len, MADV_SEQUENTIAL);
	for (i = 0; (page = kp_user_page_nth(i)); i++) {
		if (!is_moved(page, start, len))
			continue;
		if (kp_user_copy(copy + PAGE * at, (const void *)page->addr,
				 PAGE) || !map_anew(page))
			page->moved = false;
		else
			at++;
	}
	for (i = at = 0; (page = kp_user_page_nth(i)); i++)
		if (is_moved(page, start, len))
			kp_user_copy((void *)page->addr, copy + PAGE * at++,
				     PAGE);
	sys3(SYS_madvise, start, len, MADV_NORMAL);
	sys3(SYS_munmap, copy, (size_t)nr * PAGE, 0);
}

KP_TRAP_PATH void kp_user_pages_change(uintptr_t start, size_t len, bool moves)
{
	struct kp_page *page;
	unsigned int i;

	kp_user_pages_lock();
	for (i = 0; (page = kp_user_page_nth(i)); i++) {
		if (page->addr >= start + len || start >= page->addr + PAGE)
			continue;
		if (page->live)
			kp_store_release(&page->gone, true);
		kp_user_page_give_back(page);
	}
	if (moves)
		settle(start, len);
	for (i = 0; (page = kp_user_page_nth(i)); i++)
		if (is_moved(page, start, len))
			page->moved = false;
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
	struct kp_page *page;
	unsigned int i, nr = 0;

	for (i = 0; (page = kp_user_page_nth(i)); i++)
		nr += page->joined;
	snapshot_len = (size_t)nr * PAGE;
	snapshot = nr ? sys_mmap(NULL, snapshot_len, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1) : NULL;
	if (nr && !snapshot)
		return -ENOMEM;
	for (i = nr = 0; (page = kp_user_page_nth(i)); i++)
		if (page->joined) {
			kp_user_page_close(page);
			memcpy(snapshot + PAGE * nr++, page->alias, PAGE);
		}
	return 0;
}

KP_TRAP_PATH static void renew(struct kp_page *page, const char *from)
{
	page->bare = 0;
	if (!kp_user_page_join(page, from))
		return;
	/* Not shared with the parent, whatever happens. */
	sys6(SYS_mmap, (long)page->addr, PAGE, PROT_READ | PROT_WRITE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	kp_user_copy((void *)page->addr, from, PAGE);
	page->joined = false;
	kp_user_page_given(page);
	kp_store_release(&page->gone, true);
}

KP_TRAP_PATH void kp_user_pages_after_fork(bool child)
{
	struct kp_page *page;
	unsigned int i, nr = 0;

	for (i = 0; (page = kp_user_page_nth(i)); i++) {
		/* One that somebody is about to protect: nobody does in the child. */
		if (child && !page->joined && page->live) {
			kp_user_page_given(page);
			page->gate = 0;
		}
		if (!page->joined)
			continue;
		if (child)
			renew(page, snapshot + PAGE * nr);
		nr++;
		kp_user_page_open(page);
	}
	if (snapshot)
		sys3(SYS_munmap, snapshot, snapshot_len, 0);
	snapshot = NULL;
}
