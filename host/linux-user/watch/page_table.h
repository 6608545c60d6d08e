/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * page_table.h - which pages are watched by their protection.
 *
 * Owns: struct kp_page, and looking one up.
 */
#ifndef KP_USER_PAGE_TABLE_H
#define KP_USER_PAGE_TABLE_H

#include "machine.h"

struct kp_watch_range;

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

/* Any context. */
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

#endif
