/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * hit.c - the handlers of a hit, whichever way it arrived.
 *
 * Owns: calling them one by one, and abandoning a handler that faults: its probe is disabled,
 * and the handlers after it are still called.  What every hit calls is inlined: hit.h.
 *
 * Locks: none.  Trap path.
 */
#include "hit.h"
#include "children.h"
#include "left.h"

unsigned long kp_hit_noted;

KP_TRAP_PATH void kp_hit_after(struct kprobe *kp, struct pt_regs *regs,
			       unsigned long flags)
{
	(void)flags;
	if (kp_load_relaxed(&kp_hit_noted))
		kp_noting_of(kp)->after(kp_noting_of(kp), regs);
}

KP_TRAP_PATH static bool any_enabled(struct kp_site *site)
{
	struct kp_child *child;

	for (child = kp_child_first(site); child; child = kp_child_next(child))
		if (kp_child_enabled(child))
			return true;
	return false;
}

/* None when all are disabled, and the text only has not followed (K-REE-08). */
KP_TRAP_PATH void kp_hit_missed(struct kp_site *site)
{
	struct kp_child *child;

	if (!any_enabled(site) || kp_host_is_own_work())
		return;
	/* Atomic, so that no missed hit goes uncounted (K-REE-05). */
	for (child = kp_child_first(site); child; child = kp_child_next(child))
		kp_add_relaxed(&child->kp->nmissed, 1);
}

/* Looks of this context fault in nobody's name meanwhile: kp_core_on_fault. */
KP_TRAP_PATH bool kp_hit_struct_there(struct kp_context *ctx, const struct kp_child *child)
{
	bool there;

	kp_store_here(&ctx->looking, true);
	there = kp_child_struct_there(child);
	kp_store_here(&ctx->looking, false);
	return there;
}

/* So that nobody asks it for what it wants of the rest of this hit, and of others. */
KP_TRAP_PATH static void disable_gone(struct kp_child *child)
{
	if (!kp_child_enabled(child))
		return;
	kp_child_disable_gone(child);
	kp_host_log(KP_LOG_ERROR,
		    "kprobes: the struct of the probe at 0x%lx is gone or read-only, though it is registered; the probe is disabled, execution goes on",
		    (unsigned long)child->site->addr);
}

KP_TRAP_PATH void kp_hit_missed_there(struct kp_context *ctx, struct kp_site *site)
{
	struct kp_child *child;

	if (!any_enabled(site))
		return;
	for (child = kp_child_first(site); child; child = kp_child_next(child))
		if (kp_hit_struct_there(ctx, child))
			kp_add_relaxed(&child->kp->nmissed, 1);
		else
			disable_gone(child);
}

KP_TRAP_PATH void kp_hit_missed_with(struct kp_site *site,
				     struct pt_regs *regs)
{
	struct kp_child *child = kp_child_first(site);

	if (kp_host_is_own_work())
		return;
	kp_hit_missed(site);
	for (; child; child = kp_child_next(child))
		if (kp_post_handler(child->kp) == kp_hit_after)
			kp_noting_of(child->kp)->missed(kp_noting_of(child->kp),
							regs);
}

KP_TRAP_PATH bool kp_hit_wants_post(struct kp_site *site)
{
	struct kp_child *child;

	for (child = kp_child_first(site); child; child = kp_child_next(child))
		if (kp_child_enabled(child) && kp_wants_post(child->kp))
			return true;
	return false;
}

/*
 * A handler faulted and was abandoned: the probe is switched off and said to
 * be.
 */
KP_TRAP_PATH void kp_hit_abandon(struct kp_context *ctx,
				  struct kp_child *child)
{
	bool there = kp_hit_struct_there(ctx, child);

	ctx->faulting = false;
	ctx->jprobe = NULL;
	kp_left_entry(ctx);
	if (there)
		kp_child_set_enabled(child, false);
	else
		disable_gone(child);
	/* A lean one leaves nothing behind, so nothing was noted. */
	if (!ctx->lean && !(ctx->frame & KP_FRAME_LEAN))
		kp_host_abandon(ctx);
	ctx->lean = false;
	ctx->noted = NULL;
	ctx->undo_of = NULL;
	if (there)
		kp_host_log(KP_LOG_ERROR,
			    "kprobes: a handler of the probe at 0x%lx faulted; the probe is disabled, execution goes on",
			    (unsigned long)child->site->addr);
}

/* What it has made of the registers, too, is undone. */
KP_TRAP_PATH static void aborted(struct kp_context *ctx,
				 struct kp_child *child, struct pt_regs *regs,
				 const struct pt_regs *saved)
{
	*regs = *saved;
	kp_hit_abandon(ctx, child);
}

/*
 * Call one handler of child, with first as its first argument; false when it
 * had to be abandoned.
 */
KP_TRAP_PATH bool kp_hit_call(struct kp_context *ctx, struct kp_child *child,
			       void *handler, void *first,
			       struct pt_regs *regs, unsigned long third,
			       int *result)
{
	struct pt_regs saved = *regs;
	long value;

	ctx->current = child;
	value = kp_arch_guard_call(&ctx->guard, handler, first, regs, third);
	ctx->current = NULL;
	if (kp_arch_guard_aborted(&ctx->guard)) {
		aborted(ctx, child, regs, &saved);
		return false;
	}
	*result = (int)value;
	return true;
}

/* It leaves nothing behind: nothing is noted, and there is nothing to undo. */
KP_TRAP_PATH static void call_bare_post(struct kp_context *ctx, struct kp_child *child,
					struct pt_regs *regs)
{
	ctx->current = child;
	kp_arch_guard_call(&ctx->guard, (void *)child->bare_post, child->kp, regs, 0);
	ctx->current = NULL;
	if (!kp_arch_guard_aborted(&ctx->guard))
		return;
	ctx->lean = true;
	kp_hit_abandon(ctx, child);
}

/*
 * What its pre_handler may have changed for it to change back was noted before that;
 * where that changes nothing, nothing may have been.
 */
KP_TRAP_PATH static void call_post(struct kp_context *ctx, struct kp_child *child,
				   kprobe_post_handler_t post, struct pt_regs *regs)
{
	kprobe_pre_handler_t pre = kp_pre_handler(child->kp);
	int ignored;

	if (!pre || pre == child->bare)
		kp_host_note(ctx);
	kp_hit_call(ctx, child, (void *)post, child->kp, regs, 0, &ignored);
}

KP_TRAP_PATH void kp_hit_post(struct kp_context *ctx, struct kp_site *site,
			       struct pt_regs *regs)
{
	struct kp_child *child;

	for (child = kp_child_first(site); child; child = kp_child_next(child)) {
		kprobe_post_handler_t post = kp_post_handler(child->kp);

		if (!post || !kp_child_enabled(child))
			continue;
		if (post == child->bare_post)
			call_bare_post(ctx, child, regs);
		else
			call_post(ctx, child, post, regs);
	}
}

/* Execute the instruction; true when it is complete on return. */
KP_TRAP_PATH bool kp_hit_execute(struct kp_site *site, struct pt_regs *regs,
				  bool post)
{
	return kp_execute(site, regs, post);
}

KP_TRAP_PATH long kp_core_on_pre(struct kp_context *ctx,
				 struct kp_child *child, struct pt_regs *regs)
{
	return kp_call_pre(ctx, child, regs);
}

/* Without a copy the handler is one that leaves its registers alone. */
KP_TRAP_PATH static void undo(struct kp_context *ctx, struct kp_child *child,
			      struct pt_regs *regs)
{
	if (ctx->undo_of == child)
		*regs = ctx->undo;
	/* Of a quiet one nothing was noted, and it has left nothing behind. */
	ctx->lean = ctx->noted != child;
	ctx->current = NULL;
	kp_hit_abandon(ctx, child);
}

/*
 * A pre handler faulted: those after it, in the guard of a frame of the host's.
 * It may be unlinked by now; this reader keeps it, and they want to be asked all
 * the same.
 */
KP_TRAP_PATH long kp_hit_pre_aborted(struct kp_context *ctx,
				      struct pt_regs *regs)
{
	struct kp_child *child = ctx->current;
	long ran;

	undo(ctx, child, regs);
	ran = kp_call_pre(ctx, kp_child_next(child), regs);
	if (!ran && kp_hit_wants_post(child->site))
		ran = KP_PRE_POST;
	return ran;
}

/* The same with a guard for each that faults. */
KP_TRAP_PATH long kp_hit_pre_go_on(struct kp_context *ctx,
				    struct pt_regs *regs)
{
	long ran;

	do {
		struct kp_child *child = ctx->current;

		undo(ctx, child, regs);
		ran = kp_arch_guard_pre(ctx, kp_child_next(child), regs,
					&ctx->guard);
	} while (kp_arch_guard_aborted(&ctx->guard));
	if (!ran && kp_hit_wants_post(ctx->site))
		ran = KP_PRE_POST;
	return ran;
}
