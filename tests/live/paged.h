/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * paged.h - what the tests of memory that is watched by its pages share.
 *
 * Owns: the memory, an object on it, and what was told of it.
 */
#ifndef KP_LIVE_PAGED_H
#define KP_LIVE_PAGED_H

#include "live.h"

#include <sys/mman.h>

#include <kprobes/control.h>
#include <kprobes/watch.h>

#define PAGE 4096ul
#define LEN 64				/* more than debug registers hold */
#define WORD sizeof(long)

static char *memory;			/* three pages of nobody else's */
static char *object;			/* on the second one */
static long calls;
static volatile struct kp_access last;

static inline void on_access(struct wprobe *wp, struct pt_regs *regs,
			     const struct kp_access *access)
{
	(void)wp;
	(void)regs;
	last = *access;
	__atomic_fetch_add(&calls, 1, __ATOMIC_SEQ_CST);
}

static inline struct wprobe of(void *addr, unsigned long len, enum kp_watch_type type)
{
	struct wprobe wp = { .kp.addr = addr, .handler = on_access,
			     .type = type, .len = len };

	return wp;
}

static inline long told(void)
{
	return __atomic_exchange_n(&calls, 0, __ATOMIC_SEQ_CST);
}

static inline void set(void *at, long value)
{
	*(volatile long *)at = value;
	__asm__ volatile("" ::: "memory");
}

static inline void take_memory(void)
{
	char *all = mmap(NULL, 7 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	NEED(all != MAP_FAILED);
	/* No other mapping is joined with it. */
	memory = all + 2 * PAGE;
	NEED(!mprotect(memory, 3 * PAGE, PROT_READ | PROT_WRITE));
	object = memory + PAGE + 256;
}

static inline struct wprobe watched(enum kp_watch_type type)
{
	take_memory();
	return of(object, LEN, type);
}

static inline void must(struct wprobe *wp)
{
	int err = register_wprobe(wp);

	if (err)
		printf("# %d: %s\n", err, wp->kp.reason);
	NEED(!err);
}

static inline void count_gone(void *arg, const char *line, size_t len)
{
	(void)len;
	*(int *)arg += strstr(line, "  w  ") && strstr(line, "[GONE]");
}

static inline bool is_gone(const struct wprobe *wp)
{
	int gone = 0;

	kprobes_list(count_gone, &gone);
	return gone == 1 && wp->kp.flags & KPROBE_FLAG_GONE;
}

#define ADDS live_rounds(2000)

static inline void *add(void *arg)
{
	int i;

	for (i = 0; i < ADDS; i++) {
		__atomic_fetch_add((long *)arg, 1, __ATOMIC_SEQ_CST);
		((volatile char *)arg)[8]++;
	}
	return NULL;
}

#endif
