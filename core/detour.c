/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * detour.c - a hit through a jump.
 *
 * Owns: running the handlers of a hit without a trap.  All of it is trap path.  Differences
 * from trap.c:
 *
 *   - Handlers are called directly.  ctx->frame says where the hit's registers are.  When a
 *     handler faults, trap.c makes the guard from that frame, and the hit continues in
 *     kp_core_on_detour_abort.
 *   - The head's body executes the instruction.  The core steps in only if a handler took
 *     over or a post handler wants to run.
 *   - Most hits never come here.  The architecture's entry reads what serve.c has prepared in
 *     the site and does what begin() and run() do here.  While a lean handler runs,
 *     ctx->current is NULL; a fault in it supplies the rest.  If a handler takes over or is
 *     abandoned, or if the jump is removed, the rest is done here.
 *   - In a process a signal may interrupt any of this, and its handler may never return.
 *     ctx->site and ctx->frame then describe a hit that no longer exists.  kp_context_busy
 *     finds that out when it matters.  The same holds for the return handlers of return.c.
 *
 * Locks: none.
 */
#include "detour.h"
#include "busy.h"
#include "children.h"
#include "enter.h"
#include "hit.h"
#include "landing.h"

/* What of the vector registers is kept around handlers. */
HOT unsigned long kept_by(const struct kp_arch_vectors *vectors)
{
	return KP_VECTORS && vectors ? vectors->keep : 0;
}

/* One that came after the hit may need what is not kept. */
HOT bool may_run(const struct kp_child *child, unsigned long kept)
{
	return kp_child_enabled(child) && (!KP_VECTORS || child->keep <= kept);
}

/* The post handlers of child and of those after it. */
KP_TRAP_PATH HOT void run_post(struct kp_context *ctx,
			       struct kp_child *child, struct pt_regs *regs)
{
	unsigned long kept = kept_by(ctx->vectors);

	ctx->posting = true;
	for (; child; child = kp_child_next(child)) {
		kprobe_post_handler_t post = kp_post_handler(child->kp);

		if (!post || !may_run(child, kept))
			continue;
		ctx->current = child;
		post(child->kp, regs, 0);
	}
	ctx->current = NULL;
	ctx->posting = false;
}

/*
 * The instruction is done and led to the one behind it, at next.  Where the
 * site's own jump changed what stands there: its copy, without a trap.
 */
KP_TRAP_PATH static void go_on(struct kp_site *site, struct pt_regs *regs,
			       uintptr_t next)
{
	if (instruction_pointer(regs) == next)
		instruction_pointer_set(regs, kp_landing_next(site));
}

/* Emulation and post handlers, or the stepped form: continue at regs. */
KP_TRAP_PATH HOT unsigned long execute(struct kp_context *ctx,
				       struct pt_regs *regs)
{
	struct kp_site *site = ctx->site;
	uintptr_t next;

	if (site->arch.class != KP_ARCH_EMULATE) {
		kp_arch_step_begin(&site->arch, regs, site->slot, true);
		return 1;
	}
	if (!kp_hit_execute(site, regs, true))
		return 1;
	next = instruction_pointer(regs);
	run_post(ctx, kp_child_first(site), regs);
	if (next == site->addr + site->arch.len)
		go_on(site, regs, next);
	return 1;
}

/*
 * Its chain would execute what follows, too, where another probe may be armed
 * by now: so only the probed instruction.
 */
KP_TRAP_PATH COLD unsigned long jump_went(struct kp_site *site,
					  struct pt_regs *regs)
{
	kp_hit_execute(site, regs, false);
	return 1;
}

/* What the entry is to do, when the jump went while handlers ran, too. */
KP_TRAP_PATH HOT unsigned long into_body(struct kp_site *site,
					 struct pt_regs *regs,
					 unsigned long result)
{
	/*
	 * Pairs with leave_text(): NONE is stored before anybody else is armed under the
	 * jump, whom the body would pass over.
	 */
	if (result ||
	    __builtin_expect(kp_load_acquire(&site->jump) == KP_JUMP_IN, 1))
		return result;
	return jump_went(site, regs);
}

/* True when the handler took over. */
HOT bool run_pre(struct kp_context *ctx, struct kp_child *child,
		 struct pt_regs *regs, unsigned long kept)
{
	kprobe_pre_handler_t pre = kp_pre_handler(child->kp);

	if (!may_run(child, kept) || !pre)
		return false;
	ctx->current = child;
	return pre(child->kp, regs);
}

/* Of child and of those after it, whatever else they have; as run_pre. */
HOT bool run_pres(struct kp_context *ctx, struct kp_child *child,
		  struct pt_regs *regs, unsigned long kept)
{
	bool taken = false;

	for (; child && !taken; child = kp_child_next(child))
		taken = run_pre(ctx, child, regs, kept);
	ctx->current = NULL;
	return taken;
}

/* As run, where that and those behind it are probes of watched code. */
KP_TRAP_PATH COLD unsigned long run_writers(struct kp_context *ctx,
					    struct kp_child *child,
					    struct pt_regs *regs,
					    unsigned long kept)
{
	if (run_pres(ctx, child, regs, kept))
		return 1;
	return kp_load_relaxed(&kp_hit_noted) ? execute(ctx, regs) : 0;
}

/* As run, when a post handler wants to run. */
KP_TRAP_PATH COLD unsigned long run_and_post(struct kp_context *ctx,
					     struct kp_child *child,
					     struct pt_regs *regs,
					     unsigned long kept)
{
	/* Those are the last of the site. */
	if (__builtin_expect(child->kp->post_handler == kp_hit_after, 0))
		return run_writers(ctx, child, regs, kept);
	return run_pres(ctx, child, regs, kept) ? 1 : execute(ctx, regs);
}

/* The handlers of child and of those after it; what the entry is to do. */
KP_TRAP_PATH HOT unsigned long run(struct kp_context *ctx,
				   struct kp_child *child,
				   struct pt_regs *regs, unsigned long kept)
{
	for (; child; child = kp_child_next(child)) {
		if (__builtin_expect(child->kp->post_handler != NULL, 0) &&
		    may_run(child, kept))
			return run_and_post(ctx, child, regs, kept);
		if (run_pre(ctx, child, regs, kept)) {
			ctx->current = NULL;
			return 1;
		}
	}
	ctx->current = NULL;
	return 0;
}

/*
 * Signals may interrupt, and hits in their handlers use the same context as
 * long as it has no site: so the rest is stored once it has.  The frame before,
 * too, so that there is never a site that cannot be found to be left behind.
 * For them, who are on this very CPU, the stores are in this order: they pair with
 * kp_context_busy().
 */
KP_TRAP_PATH HOT void begin(struct kp_context *ctx, struct kp_site *site,
			    struct pt_regs *regs,
			    const struct kp_arch_vectors *vectors,
			    const struct kp_host_saved *saved)
{
	if (KP_LEFT_BEHIND)
		kp_store_here(&ctx->frame, (uintptr_t)regs);
	kp_store_here(&ctx->site, site);
	kp_host_note(ctx);
	kp_store_here(&ctx->frame, (uintptr_t)regs);
	if (KP_VECTORS)
		ctx->vectors = vectors;
	ctx->saved = *saved;
}

HOT bool may_enter(const struct kp_context *ctx)
{
	return __builtin_expect(ctx && !ctx->site, 1);
}

KP_TRAP_PATH HOT unsigned long
pre_handlers(struct kp_context *ctx, const struct kp_host_saved *saved,
	     struct pt_regs *regs, struct kp_site *site,
	     const struct kp_arch_vectors *vectors)
{
	uintptr_t before = KP_LEFT_BEHIND ? ctx->frame : 0;
	unsigned long result;

	begin(ctx, site, regs, vectors, saved);
	result = run(ctx, kp_child_first(site), regs, kept_by(vectors));
	kp_hit_end(ctx, before);
	return result;
}

KP_TRAP_PATH HOT void
post_handlers(struct kp_context *ctx, const struct kp_host_saved *saved,
	      struct pt_regs *regs, struct kp_site *site,
	      const struct kp_arch_vectors *vectors)
{
	uintptr_t before = KP_LEFT_BEHIND ? ctx->frame : 0;

	begin(ctx, site, regs, vectors, saved);
	run_post(ctx, kp_child_first(site), regs);
	kp_hit_end(ctx, before);
}

KP_TRAP_PATH COLD unsigned long
on_busy(struct kp_context *ctx, struct kp_host_saved saved,
	struct pt_regs *regs, struct kp_site *site,
	const struct kp_arch_vectors *vectors)
{
	unsigned long result = 0;

	if (kp_context_enter_again(ctx, &saved, kernel_stack_pointer(regs)))
		result = pre_handlers(ctx, &saved, regs, site, vectors);
	else
		kp_hit_missed_with(site, regs);
	result = into_body(site, regs, result);
	kp_host_leave_detour(ctx, &saved);
	return result;
}

KP_TRAP_PATH unsigned long
kp_core_on_detour(struct pt_regs *regs, void *tag,
		  const struct kp_arch_vectors *vectors)
{
	struct kp_site *site = tag;
	struct kp_host_saved saved;
	struct kp_context *ctx = kp_host_enter_detour(&saved);
	unsigned long result;

	if (!may_enter(ctx))
		return on_busy(ctx, saved, regs, site, vectors);
	result = pre_handlers(ctx, &saved, regs, site, vectors);
	result = into_body(site, regs, result);
	kp_host_leave_detour(ctx, &saved);
	return result;
}

KP_TRAP_PATH COLD void on_busy_post(struct kp_context *ctx,
				    struct kp_host_saved saved,
				    struct pt_regs *regs, struct kp_site *site,
				    const struct kp_arch_vectors *vectors)
{
	uintptr_t next = instruction_pointer(regs);

	if (kp_context_enter_again(ctx, &saved, kernel_stack_pointer(regs)))
		post_handlers(ctx, &saved, regs, site, vectors);
	go_on(site, regs, next);
	kp_host_leave_detour(ctx, &saved);
}

/* The call that led here says that the copy is done. */
KP_TRAP_PATH const struct pt_regs *kp_core_hit_regs(uintptr_t *at)
{
	const struct kp_context *ctx = kp_host_context();
	const struct kp_site *site = ctx ? ctx->site : NULL;

	if (!site || (ctx->frame & KP_FRAME_BITS))
		return NULL;
	*at = site->addr + (ctx->posting ? site->arch.len : 0);
	return ctx->framed ? ctx->framed : (const struct pt_regs *)ctx->frame;
}

KP_TRAP_PATH void kp_core_on_post(struct pt_regs *regs, void *tag,
				  const struct kp_arch_vectors *vectors)
{
	struct kp_site *site = tag;
	uintptr_t next = site->addr + site->arch.len;
	struct kp_host_saved saved;
	struct kp_context *ctx;

	if (__builtin_expect(site->arch.class == KP_ARCH_EMULATE, 0))
		kp_host_broken("a stepped form ends where it should not");
	instruction_pointer_set(regs, next);
	ctx = kp_host_enter_detour(&saved);
	if (!may_enter(ctx)) {
		on_busy_post(ctx, saved, regs, site, vectors);
		return;
	}
	post_handlers(ctx, &saved, regs, site, vectors);
	go_on(site, regs, next);
	kp_host_leave_detour(ctx, &saved);
}

/* The entry has marked this reader, and errno is what it is to be. */
KP_TRAP_PATH unsigned long kp_core_on_direct_end(struct pt_regs *regs, void *tag,
						 unsigned long result)
{
	struct kp_context *ctx = kp_host_context();
	struct kp_host_saved saved;

	kp_hit_end(ctx, 0);
	kp_host_direct_saved(&saved);
	if (__builtin_expect(ctx->again, 0)) {
		ctx->again = false;
		kp_host_leave_detour(ctx, &saved);
		return kp_core_on_detour(regs, tag, NULL);
	}
	result = into_body(tag, regs, result != 0);
	kp_host_leave_detour(ctx, &saved);
	return result;
}

/*
 * The frame may be one that was left, and then its words are anybody's: they are
 * looked at only if it is not.
 */
KP_TRAP_PATH void kp_detour_lean_fault(struct kp_context *ctx,
				       struct pt_regs *regs)
{
	struct pt_regs *frame;
	uintptr_t tag;

	if (!ctx || !ctx->site || ctx->current || !ctx->frame ||
	    (ctx->frame & KP_FRAME_BITS) ||
	    !kp_context_busy(ctx, kernel_stack_pointer(regs)))
		return;
	frame = (struct pt_regs *)ctx->frame;
	tag = kp_arch_lean_tag(frame, regs);
	if (!tag)
		return;
	ctx->current = (struct kp_child *)(tag & ~KP_ARCH_LEAN_POST);
	ctx->posting = tag & KP_ARCH_LEAN_POST;
	ctx->lean = true;
	ctx->vectors = NULL;
	kp_host_direct_saved(&ctx->saved);
	kp_arch_guard_lean(&ctx->guard, frame, regs);
}

/* What had happened was dealt with. */
KP_TRAP_PATH void kp_detour_lean_go_on(struct kp_context *ctx)
{
	if (!ctx->lean)
		return;
	ctx->lean = false;
	ctx->posting = false;
	ctx->current = NULL;
}

/*
 * The child may be unlinked by now; this reader keeps it, and those after it
 * want to be asked all the same.
 */
KP_TRAP_PATH unsigned long kp_core_on_detour_abort(struct pt_regs *regs)
{
	struct kp_context *ctx = kp_host_context();
	struct kp_host_saved saved = ctx->saved;
	struct kp_child *child = ctx->current;
	struct kp_site *site = ctx->site;
	bool posting = ctx->posting;
	unsigned long result = posting;

	ctx->posting = false;
	ctx->current = NULL;
	kp_hit_abandon(ctx, child);
	/* Of those before, nothing need be. */
	kp_host_note(ctx);
	if (posting)
		run_post(ctx, kp_child_next(child), regs);
	else if (kp_hit_wants_post(site))
		result = run_and_post(ctx, kp_child_next(child), regs,
				      kept_by(ctx->vectors));
	else
		result = run(ctx, kp_child_next(child), regs,
			     kept_by(ctx->vectors));
	kp_hit_end(ctx, 0);
	result = into_body(site, regs, result);
	kp_host_leave_detour(ctx, &saved);
	return result;
}
