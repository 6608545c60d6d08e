/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * hit.h - calling the handlers of a hit.
 *
 * Owns: kp_run_pre, the pre handlers of a hit that is a trap or comes through a
 * tracer; the beginning and end of a hit; and the marks of such code.
 *
 * All pre handlers of a hit run inside one guard, and are called directly: when
 * one faults, ctx->current says which, and those after it run inside a new
 * guard.  What it has made of the registers is undone.
 *
 * Locks: none.
 */
#ifndef KP_CORE_HIT_H
#define KP_CORE_HIT_H

#include "children.h"
#include "context.h"
#include "enter.h"

/* What a hit is made of is worth being one piece: every probe pays for it. */
/* The names with underscores: a kernel has macros of the others. */
#define HOT static inline __attribute__((__always_inline__))
#define COLD static __attribute__((__noinline__))
#define LIKELY(x) __builtin_expect(!!(x), 1)

/*
 * After a fault: can the child's struct still be read?  A user that frees it, or goes, while
 * it is registered leaves us one that faults at each look, and so would who deals with that.
 */
bool kp_hit_struct_there(struct kp_context *ctx, const struct kp_child *child);
/* As kp_hit_missed, after a fault: whose struct is gone is disabled. */
void kp_hit_missed_there(struct kp_context *ctx, struct kp_site *site);
/* For every way to a hit; any context.  ctx->site is set meanwhile. */
void kp_hit_missed(struct kp_site *site);
/* The hit with these registers: whoever notes something of each counts that, too. */
void kp_hit_missed_with(struct kp_site *site, struct pt_regs *regs);
bool kp_hit_wants_post(struct kp_site *site);
void kp_hit_post(struct kp_context *ctx, struct kp_site *site,
		 struct pt_regs *regs);
/* Execute the instruction; true when it is complete on return. */
bool kp_hit_execute(struct kp_site *site, struct pt_regs *regs, bool post);
/*
 * Call one handler of child, with first as its first argument; false when it
 * had to be abandoned.
 */
bool kp_hit_call(struct kp_context *ctx, struct kp_child *child,
		 void *handler, void *first, struct pt_regs *regs,
		 unsigned long third, int *result);
/* It faulted: the probe is switched off and said to be. */
void kp_hit_abandon(struct kp_context *ctx, struct kp_child *child);
/* A pre handler did, ctx->current's: it, and those after it; KP_PRE_…. */
long kp_hit_pre_aborted(struct kp_context *ctx, struct pt_regs *regs);
long kp_hit_pre_go_on(struct kp_context *ctx, struct pt_regs *regs);

/*
 * A probe of the engine's own that notes something before an instruction, and wants to
 * be called after it if there is something noted.  Its post_handler is kp_hit_after.
 */
struct kp_noting {
	struct kprobe kp;		/* first */
	void (*after)(struct kp_noting *noting, struct pt_regs *regs);
	/* Of a hit that is not served. */
	void (*missed)(struct kp_noting *noting, struct pt_regs *regs);
};

extern unsigned long kp_hit_noted;	/* how many notes there are; atomic */
void kp_hit_after(struct kprobe *kp, struct pt_regs *regs,
		  unsigned long flags);

HOT struct kp_noting *kp_noting_of(struct kprobe *kp)
{
	return (struct kp_noting *)(void *)kp;
}

/* Does it want to be called after this hit?  Where no write is noted, ours do not. */
HOT bool kp_wants_post(const struct kprobe *kp)
{
	kprobe_post_handler_t post = kp_post_handler(kp);

	return post && (LIKELY(post != kp_hit_after) ||
			kp_load_relaxed(&kp_hit_noted));
}

/*
 * Handlers of a hit at site run in ctx from here to kp_hit_end; it has no frame of
 * detour.c's or return.c's.  Where a hit can be left behind there may be one although
 * there is no site, whose hit was interrupted on its way to one: it is put back.
 * Elsewhere no frame stands without a site, not for an instruction: what interrupts
 * there and has a hit would take it for its own.
 *
 * Who reads site and frame besides is what interrupts, on the same CPU, in
 * kp_context_busy() and in its own kp_hit_begin(): with it the stores here, and in
 * what begins and ends other kinds of hits, pair.
 */
HOT uintptr_t kp_hit_begin(struct kp_context *ctx, struct kp_site *site)
{
	uintptr_t before = KP_LEFT_BEHIND ? ctx->frame : 0;

	if (KP_LEFT_BEHIND)
		kp_store_relaxed(&ctx->frame, 0);
	kp_store_here(&ctx->site, site);
	kp_host_note(ctx);
	return before;
}

/* Frame and site in the reverse order. */
HOT void kp_hit_end(struct kp_context *ctx, uintptr_t before)
{
	if (!KP_LEFT_BEHIND)
		kp_store_relaxed(&ctx->frame, 0);
	kp_store_here(&ctx->site, NULL);
	if (KP_LEFT_BEHIND)
		kp_store_here(&ctx->frame, before);
}

/* As kp_hit_execute. */
HOT bool kp_execute(struct kp_site *site, struct pt_regs *regs, bool post)
{
	if (site->arch.class == KP_ARCH_EMULATE &&
	    !kp_arch_emulate(&site->arch, regs, &host_mem))
		return true;
	/* A stack access that cannot be emulated faults in the slot. */
	kp_arch_step_begin(&site->arch, regs, site->slot, post);
	return false;
}

/* What kp_core_on_pre says. */
#define KP_PRE_TAKEN	1l	/* one took over: no step, no post (K-HIT-12, 17) */
#define KP_PRE_POST	2l	/* a child that was asked has a post handler */

/* The pre handlers, newest first; KP_PRE_…. */
HOT long kp_run_pre(struct kp_context *ctx, struct kp_site *site,
		    struct pt_regs *regs)
{
	long ran = kp_arch_guard_pre(ctx, kp_child_first(site), regs,
				     &ctx->guard);

	if (LIKELY(!kp_arch_guard_aborted(&ctx->guard)))
		return ran;
	return kp_hit_pre_go_on(ctx, regs);
}

/* With all that it may leave behind when it faults. */
HOT int kp_call_noted(struct kp_context *ctx, struct kp_child *child,
		      kprobe_pre_handler_t pre, struct pt_regs *regs)
{
	int taken;

	kp_host_note(ctx);
	ctx->noted = child;
	if (LIKELY(pre == child->spares)) {
		taken = pre(child->kp, regs);
	} else {
		ctx->undo = *regs;
		ctx->undo_of = child;
		taken = pre(child->kp, regs);
		ctx->undo_of = NULL;
	}
	ctx->noted = NULL;
	return taken;
}

/* As kp_core_on_pre: child and those after it, within whatever guard. */
HOT long kp_call_pre(struct kp_context *ctx, struct kp_child *child,
		     struct pt_regs *regs)
{
	long ran = 0;
	int taken;

	for (; child; child = kp_child_next(child)) {
		kprobe_pre_handler_t quiet = child->quiet, pre;

		if (!LIKELY(kp_child_enabled(child)))
			continue;
		ctx->current = child;
		if (LIKELY(quiet)) {
			if (LIKELY(!quiet(child->kp, regs)))
				continue;
			ran = KP_PRE_TAKEN;
			break;
		}
		pre = kp_pre_handler(child->kp);
		if (!pre)
			taken = 0;
		else if (pre == child->bare)
			taken = pre(child->kp, regs);
		else
			taken = kp_call_noted(ctx, child, pre, regs);
		if (taken) {
			ran = KP_PRE_TAKEN;
			break;
		}
		if (kp_wants_post(child->kp))
			ran = KP_PRE_POST;
	}
	ctx->current = NULL;
	return ran;
}

/* The one child's that the site's hits are for, or NULL. */
HOT struct kp_child *kp_quiet_child(struct kp_site *site)
{
	/* Pairs with kp_serve_follow. */
	struct kp_child *child = kp_load_pointer(KP_ARCH_LEAN_HITS ? &site->lean
								   : &site->first);

	if (!LIKELY(child) || !LIKELY(child->quiet))
		return NULL;
	return KP_ARCH_LEAN_HITS || LIKELY(!kp_load_pointer(&child->run)) ? child : NULL;
}

/* Its pre handler; as kp_core_on_pre. */
HOT long kp_call_quiet(struct kp_context *ctx, struct kp_child *child,
		       struct pt_regs *regs)
{
	int taken;

	ctx->current = child;
	taken = child->quiet(child->kp, regs);
	ctx->current = NULL;
	return LIKELY(!taken) ? 0 : KP_PRE_TAKEN;
}

/*
 * A hit in a frame of the host's: handlers are called directly, and when one
 * faults, trap.c makes the guard from that frame.  Otherwise as kp_hit_begin, but
 * that nothing is noted; whoever had ctx->frame when this came in between keeps it.
 */
HOT void kp_framed_begin(struct kp_context *ctx, struct kp_site *site,
			 struct pt_regs *regs)
{
	/* As in kp_hit_begin. */
	kp_store_here(&ctx->site, site);
	kp_store_relaxed(&ctx->framed, regs);
}

/* The post handlers of such a hit: each has a guard of its own. */
HOT void kp_framed_post(struct kp_context *ctx, struct kp_site *site,
			struct pt_regs *regs)
{
	uintptr_t before = KP_LEFT_BEHIND ? ctx->frame : 0;

	kp_store_relaxed(&ctx->framed, NULL);
	if (KP_LEFT_BEHIND)
		kp_store_relaxed(&ctx->frame, 0);
	kp_hit_post(ctx, site, regs);
	if (KP_LEFT_BEHIND)
		kp_store_relaxed(&ctx->frame, before);
}

HOT void kp_framed_end(struct kp_context *ctx)
{
	kp_store_relaxed(&ctx->framed, NULL);
	/* As in kp_hit_end. */
	kp_store_here(&ctx->site, NULL);
}

#endif
