/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kinds.c - the kinds of kprobes: the users' and the engine's own.
 *
 * Owns: the requirements for the handlers of a struct kprobe.  The kinds of the other probe
 * types are in the files of these types.
 *
 * Locks: the registry lock.
 */
#include "kinds.h"
#include "children.h"
#include "handler.h"

void kp_kind_know(struct kp_child *child)
{
	const struct kprobe *kp = child->kp;
	enum kp_arch_keep pre = kp_handler_keep((const void *)kp->pre_handler);
	enum kp_arch_keep post = kp_handler_keep((const void *)kp->post_handler);

	child->keep = (uint8_t)(pre > post ? pre : post);
	if (kp_handler_spares((const void *)kp->pre_handler))
		child->spares = kp->pre_handler;
}

/* No handler is. */
static bool is_lean(const void *handler)
{
	return !handler || kp_handler_lean(handler);
}

/* Where its pre_handler is all that there is, and not lean itself. */
static bool can_filter(const struct kp_child *child)
{
	const struct kprobe *kp = child->kp;

	return kp->filter && kp->pre_handler &&
	       !kp->post_handler && !kp->fault_handler &&
	       !is_lean((const void *)kp->pre_handler) &&
	       is_lean((const void *)kp->filter);
}

static void know_bare(struct kp_child *child)
{
	const struct kprobe *kp = child->kp;

	if (kp->fault_handler)
		return;
	if (kp_handler_bare((const void *)kp->post_handler))
		child->bare_post = kp->post_handler;
	if (!kp_handler_bare((const void *)kp->pre_handler))
		return;
	child->bare = kp->pre_handler;
	if (!kp->post_handler)
		child->quiet = kp->pre_handler;
}

static void know(struct kp_child *child)
{
	const struct kprobe *kp = child->kp;

	kp_kind_know(child);
	know_bare(child);
	if (can_filter(child)) {
		child->lean = kp->filter;
		child->filters = true;
		return;
	}
	if (!is_lean((const void *)kp->pre_handler) ||
	    !is_lean((const void *)kp->post_handler))
		return;
	child->lean = kp->pre_handler;
	child->lean_post = kp->post_handler;
}

const struct kp_kind kp_kind_kprobe = {
	.letter = KP_LETTER_KPROBE,
	.len = sizeof(struct kprobe),
	.know = know,
};

const struct kp_kind kp_kind_own = {
	.letter = KP_LETTER_OWN,
	.rank = 2,
	.len = sizeof(struct kprobe),
	.know = kp_kind_know,
};
