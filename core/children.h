/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * children.h - the children of a site, and what kinds of them there are.
 *
 * Owns: struct kp_kind, and the ways from one child to the next.
 */
#ifndef KP_CORE_CHILDREN_H
#define KP_CORE_CHILDREN_H

#include "site.h"

/* In the list file. */
enum kp_letter {
	KP_LETTER_KPROBE = 'k',
	KP_LETTER_JPROBE = 'j',
	KP_LETTER_RETURN = 'r',
	KP_LETTER_WATCH = 'w',
	KP_LETTER_OWN = 'h',		/* in no list */
};

/*
 * A type of probe: what is its own in being registered.  Constant; whoever registers a
 * probe says which it is.  NULL: there is nothing to do.  The registry lock is held.
 */
struct kp_kind {
	enum kp_letter letter;
	uint8_t rank;			/* those of a higher one come later (K-JP-13) */
	bool oldest_first;		/* of those of one rank; else the newest (K-HIT-15) */
	size_t len;			/* of the user's struct, kp first in it */
	/* What its handlers need of a hit: child->keep, spares, lean and so on. */
	void (*know)(struct kp_child *child);
	/* Before the place is checked; then release undoes it. */
	int (*prepare)(struct kprobe *p, bool on_entry);
	void (*release)(struct kprobe *p);
	/* Readers are not waited for yet. */
	void (*unlinked)(const struct kp_child *child);
	/* It is on no text: as kp_probe_switch, which then is not for it. */
	int (*enable)(struct kp_child *child, bool on);
	/* The user's functions besides struct kprobe's, of a copy of its struct; how many. */
	unsigned int (*functions)(const struct kprobe *seen, uintptr_t *fns);
	/*
	 * It was unlinked because its owner goes; there: the user's struct does not.  What
	 * else is known of it goes, too.  Readers are not waited for yet.
	 */
	void (*orphaned)(struct kp_child *child, bool there);
};

#define KP_KIND_FUNCTIONS 2		/* at most */

/*
 * An element of a user's array of pointers to probes.  Every probe type has
 * its struct kprobe first, so an array of any of them is read as these.
 */
typedef struct kprobe *kp_probe_ref __attribute__((may_alias));

struct kp_child *kp_child_find(const struct kprobe *kp);
int kp_child_add(struct kp_site *site, struct kprobe *kp,
		 const struct kp_kind *kind);
void kp_child_unlink(struct kp_child *child);
void kp_child_set_enabled(struct kp_child *child, bool on);	/* any context */
void kp_child_disable_gone(struct kp_child *child);	/* without its struct; ditto */
bool kp_child_struct_there(const struct kp_child *child);	/* ditto */
bool kp_site_wanted(const struct kp_site *site);	/* an enabled child? */

/* Any context; both loads pair with kp_child_add: who is found is complete. */
static inline struct kp_child *kp_child_first(const struct kp_site *site)
{
	return kp_load_pointer(&site->children);
}

static inline struct kp_child *kp_child_next(const struct kp_child *child)
{
	/* And with kp_child_unlink, which leads past one, not away from it. */
	return kp_load_pointer(&child->next);
}

static inline bool kp_child_enabled(const struct kp_child *child)
{
	return kp_load_relaxed(&child->enabled);
}

/* The host's own (own.c), which users do not see, are the last of a site. */
static inline bool kp_child_shown(const struct kp_child *child)
{
	return child && child->kind->letter != KP_LETTER_OWN;
}

/*
 * Read once: unregistering a jprobe or a return probe takes its handler back
 * while readers are there.
 */
static inline __attribute__((__always_inline__)) kprobe_pre_handler_t
kp_pre_handler(const struct kprobe *kp)
{
	return kp_load_relaxed(&kp->pre_handler);
}

static inline __attribute__((__always_inline__)) kprobe_post_handler_t
kp_post_handler(const struct kprobe *kp)
{
	return kp_load_relaxed(&kp->post_handler);
}

/* A user learns the first reason; before, if it has passed, is taken back. */
static inline void kp_site_explain(struct kp_site *site, const char *before)
{
	struct kp_child *child;
	const char *reason;

	/* Not at once: it is asked where the user may have freed what is registered. */
	for (child = site->children; child; child = child->next)
		if (!kp_host_data_read((uintptr_t)&child->kp->reason, &reason,
				       sizeof(reason)) && reason == before)
			kp_host_data_write((uintptr_t)&child->kp->reason,
					   &site->why_not, sizeof(site->why_not));
}

#endif
