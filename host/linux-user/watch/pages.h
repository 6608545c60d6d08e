/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * pages.h - protected pages, for the files that serve them.
 *
 * Owns: struct kp_page, and what the files that serve them offer each other.
 */
#ifndef KP_USER_PAGES_H
#define KP_USER_PAGES_H

#include "user.h"

#define KP_PAGE_LINES 64u		/* of 64 bytes */

/* A range is on each line of which it has a byte. */
struct kp_page_line {
	struct kp_page_line *next;	/* lock-free readers */
	const struct kp_watch_range *range;
};

struct kp_page {
	uintptr_t addr;			/* written once */
	char *alias;			/* where the engine writes; while it is open */
	unsigned int gate;		/* atomic: who is inside, and KP_PAGE_CLOSED */
	unsigned int bare;		/* so many let the program write; by the lock */
	unsigned int ranges;		/* so many are on it; by the lock */
	unsigned int given;		/* so many times back to the program; atomic */
	bool live;			/* it is protected, or about to be; atomic */
	bool joined;			/* it is; by the lock */
	bool moved;			/* what the program has there came from elsewhere; by the lock */
	bool gone;			/* the program has changed what is there */
	struct kp_page_line *lines[KP_PAGE_LINES];
};
#define KP_PAGE_CLOSED (1u << 31)

/* page_table.c.  Any context. */
#define KP_PAGE_COLOURS (KP_SHARED_COLOURS * KP_ARCH_PAGE)	/* an alias is the same modulo this */
struct kp_page *kp_user_page_at(uintptr_t addr);	/* live; or NULL */
struct kp_page *kp_user_page_known(uintptr_t addr);	/* some time; or NULL */
bool kp_user_page_enter(struct kp_page *page);	/* false: try again later */
void kp_user_page_leave(struct kp_page *page);
/* Live pages in [start, start+len), in no order; NULL begins and ends. */
struct kp_page *kp_user_page_next(struct kp_page *after, uintptr_t start,
				  size_t len);
struct kp_page *kp_user_page_nth(unsigned int i);	/* of all that were made; NULL behind them */
void kp_user_page_close(struct kp_page *page);	/* the gate: nobody is inside */
void kp_user_page_open(struct kp_page *page);
/* The lock that guards how pages are mapped.  With all signals of the program blocked. */
void kp_user_pages_lock(void);
void kp_user_pages_unlock(void);
/* Registry lock. */
bool kp_user_page_table_make(void);
struct kp_page *kp_user_page_make(uintptr_t addr);	/* or the one that was made; NULL: no memory */

/*
 * page_alias.c.  By that lock, with the gate closed: the page is mapped twice, and holds what is
 * at from, which nobody writes to; 0, or -errno: it is as it was, but without the right to write.
 * It is nobody's watched page any more, as it is by then.
 */
long kp_user_page_join(struct kp_page *page, const void *from);
void kp_user_page_given(struct kp_page *page);
/*
 * By the lock: the program may write there, or no more; the page is the program's again, and
 * nobody's watched; around a fork, whose child has memory of its own.
 */
void kp_user_page_bare(struct kp_page *page, bool on);
void kp_user_page_give_back(struct kp_page *page);
/* The program changes the mapping there; moves: by mremap.  Takes the lock itself. */
void kp_user_pages_change(uintptr_t start, size_t len, bool moves);
int kp_user_pages_before_fork(void);
void kp_user_pages_after_fork(bool child);

/* lines.c.  Registry context: memory for a range's; those on the page, in or out. */
bool kp_user_lines_make(struct kp_watch_range *range);
void kp_user_page_lines(struct kp_page *page, const struct kp_watch_range *range,
			bool in);
/* Tell of what was written, to the page, and to the one beside it, or NULL. */
void kp_user_page_tell(struct kp_page *page, struct kp_page *beside,
		       struct pt_regs *regs, const struct kp_watch_store *store);
/* Somebody may have written there. */
void kp_user_page_unseen(struct kp_page *page);

/* page_store.c */
void kp_user_page_fault_init(void);
/*
 * On a protected page: if the len bytes are old, make new of them; and, where that was
 * done, tell of it.  For a store-exclusive.
 */
bool kp_user_page_swap_if(uintptr_t addr, unsigned int len, const uint64_t *old,
			  const uint64_t *new);
void kp_user_page_swapped(struct pt_regs *regs);

/* disturbed.c: why no page can be protected, or not this one; or NULL. */
const char *kp_user_pages_disturb(void);
const char *kp_user_page_disturbs(uintptr_t addr);
/* Another memory is there now: who waits for a futex there waits for that one's. */
void kp_user_page_changed(uintptr_t addr);

/* passage.c: does a system call still write to what it was?  By the lock. */
bool kp_user_passage_on(const struct kp_page *page);

/* robust.c: the calling thread's last system call. */
void kp_user_robust_end(void);

/* outs.c: what does a system call write? */
struct kp_out {
	uintptr_t addr;
	size_t len;
	int arg;			/* which argument says where; -1: none */
	bool counts;			/* the call's result says how much */
};
#define KP_OUTS_MAX 4
enum kp_outs {
	KP_OUTS_KNOWN,			/* these, and no others */
	KP_OUTS_ANY,			/* nobody knows */
	KP_OUTS_MEMORY,			/* it changes the map there, or what the kernel writes later */
	KP_OUTS_FORK,			/* it copies this memory */
	KP_OUTS_RING,			/* after it, the kernel writes when it likes, or calls are filtered */
};
enum kp_outs kp_user_outs(long nr, const unsigned long args[6],
			  struct kp_out outs[KP_OUTS_MAX], int *outs_nr);

#endif
