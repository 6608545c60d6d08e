/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * watched.h - memory that watch probes are on.
 *
 * Owns: struct kp_watched.
 */
#ifndef KP_CORE_WATCHED_H
#define KP_CORE_WATCHED_H

#include "site.h"
#include "watch.h"
#include <kprobes/watch.h>

/*
 * Bytes that watch probes are on.  Its site is in no table and has no text: addr,
 * children and state are used, as with other probes.  So handlers are called,
 * guarded, disabled and listed in the same way.
 */
struct kp_watched {
	struct kp_site site;		/* first */
	struct kp_watched *next;	/* lock-free readers */
	struct kp_watched *dead;	/* to be freed; registry lock */
	size_t len;
	bool reads;			/* they count; written once */
	bool paged;			/* by pages, not by registers; registry lock */
	struct kp_watch_range range;	/* ditto */
	struct kp_watch_set set;	/* written once, but for the host's */
	/* With code: code_watch.c, writes.c; both written once. */
	struct kp_code *code;
	struct kp_writes_part *parts;
	uint64_t serial;
	bool code_left;			/* by its last user; registry lock */
	/* What each word held when it was last looked at; atomic. */
	unsigned long last[KP_ARCH_WATCH_WORDS];
};

static inline struct wprobe *kp_wprobe_of(const struct kp_child *child)
{
	return (struct wprobe *)(void *)child->kp;
}

#endif
