/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * wprobe.h - watch probes, for the files of the core that meet them.
 *
 * Owns: struct kp_watched and the prototypes of wprobe.c and access.c.
 */
#ifndef KP_CORE_WPROBE_H
#define KP_CORE_WPROBE_H

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
	/* With code: writers.c, written.c; both written once. */
	struct kp_code *code;
	struct kp_written_part *parts;
	uint64_t serial;
	bool code_left;			/* by its last user; registry lock */
	/* What each word held when it was last looked at; atomic. */
	unsigned long last[KP_ARCH_WATCH_WORDS];
};

/* access.c: what is watched, new ones in front; the registry lock to change. */
extern struct kp_watched *kp_watched_list;
unsigned long kp_watched_look(const struct kp_watched *watched,
			      unsigned int word);	/* any context */
/*
 * Its handlers are called, in a context that has a site; before: those ahead of the
 * access, where the store's after is as before.
 */
void kp_watched_tell(struct kp_context *ctx, struct kp_watched *watched,
		     const struct kp_watch_store *store,
		     struct pt_regs *regs, bool before);	/* any context */

/*
 * wprobe.c.  For who enables or disables one: as kp_probe_switch.  For the global
 * switch.  For the end of the engine: children go to *dead; kp_wprobe_bury, when
 * nobody reads any more.  Memory at [start, start+len) has gone.
 */
int kp_wprobe_switch(struct kp_child *child, bool on);
int kp_wprobe_switch_all(bool on);
void kp_wprobe_detach_all(struct kp_child **dead);
void kp_wprobe_bury(void);
void kp_wprobe_memory_gone(uintptr_t start, size_t len);
void kp_wprobe_settle(void);		/* what the program has taken away, is gone */

/* The next site of watch probes; NULL starts and ends. */
struct kp_site *kp_wprobe_site(const struct kp_site *after);

/* Of a watch probe's site that is armed; registry lock. */
const char *kp_wprobe_means(const struct kp_site *site);

static inline struct wprobe *kp_wprobe_of(const struct kp_child *child)
{
	return (struct wprobe *)(void *)child->kp;
}

#endif
