/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * call.h - calling one handler of a hit.
 *
 * Owns: kp_call, the guarded call as it is inlined where every hit passes,
 * kp_run_pre, which makes it for each child, and the marks of such code.  What a
 * handler that faults has made of the registers is undone by kp_trap_aborted.
 *
 * Locks: none.
 */
#ifndef KP_CORE_CALL_H
#define KP_CORE_CALL_H

#include "enter.h"
#include "site.h"

/* What a hit is made of is worth being one piece: every probe pays for it. */
/* The names with underscores: a kernel has macros of the others. */
#define HOT static inline __attribute__((__always_inline__))
#define COLD static __attribute__((__noinline__))
#define LIKELY(x) __builtin_expect(!!(x), 1)

/*
 * Read once: unregistering a jprobe or a return probe takes its handler back
 * while readers are there.
 */
HOT kprobe_pre_handler_t kp_pre_handler(const struct kprobe *kp)
{
	return kp_load_relaxed(&kp->pre_handler);
}

HOT kprobe_post_handler_t kp_post_handler(const struct kprobe *kp)
{
	return kp_load_relaxed(&kp->post_handler);
}

/*
 * Handlers of a hit at site run in ctx from here to kp_hit_end, with this frame.
 * There may be another frame although there is no site: of detour.c's begin() or
 * end(), or return.c's, that was interrupted.  It is not this hit's.
 */
HOT uintptr_t kp_hit_begin(struct kp_context *ctx, struct kp_site *site,
			   uintptr_t frame)
{
	uintptr_t before = ctx->frame;

	kp_store_relaxed(&ctx->frame, frame);
	kp_store_release(&ctx->site, site);
	kp_host_note(ctx);
	return before;
}

HOT void kp_hit_end(struct kp_context *ctx, uintptr_t before)
{
	kp_store_release(&ctx->site, NULL);
	kp_store_release(&ctx->frame, before);
}

/* As kp_trap_call. */
HOT bool kp_call(struct kp_context *ctx, struct kp_child *child, void *handler,
		 void *first, struct pt_regs *regs, unsigned long third,
		 int *result)
{
	struct pt_regs saved = *regs;
	long value;

	ctx->current = child;
	value = kp_arch_guard_call(&ctx->guard, handler, first, regs, third);
	ctx->current = NULL;
	if (!LIKELY(!kp_arch_guard_aborted(&ctx->guard))) {
		kp_trap_aborted(ctx, child, regs, &saved);
		return false;
	}
	*result = (int)value;
	return true;
}

/*
 * The pre handlers, newest first.  True when one took over: no step, no post
 * handler (K-HIT-12, 17).  Else *post: a child that was asked has a post handler.
 */
HOT bool kp_run_pre(struct kp_context *ctx, struct kp_site *site,
		    struct pt_regs *regs, bool *post)
{
	struct kp_child *child;
	int taken = 0;

	*post = false;
	for (child = kp_child_first(site); child; child = kp_child_next(child)) {
		struct kprobe *kp = child->kp;
		kprobe_pre_handler_t pre = kp_pre_handler(kp);

		if (!kp_child_enabled(child))
			continue;
		if (pre && !kp_call(ctx, child, (void *)pre, kp, regs, 0,
				    &taken))
			continue;
		if (taken)
			return true;
		*post |= kp->post_handler != NULL;
	}
	return false;
}

#endif
