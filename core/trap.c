/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * trap.c - what happens on a hit.
 *
 * Owns: the hit / step / fault state machine and reentrancy.  Everything here
 * is trap path: no lock, no allocation, nothing that can be probed.
 *
 *   breakpoint of an armed site
 *     context busy or missing -> every child's nmissed + 1, execute quietly
 *     else pre handlers, newest first
 *       one returned non-zero -> resume at regs, nothing else
 *       else execute: emulate, then post handlers in this trap
 *                     or continue in the slot: boosted, or stepped when an
 *                     enabled child has a post handler
 *   breakpoint at the end of a slot's stepped form -> post handlers
 *   breakpoint at a boundary inside a jump -> the copy in the chain (landing.c)
 *   any other: retry when the text holds no breakpoint any more, else offer it
 *     to the break_handler of the probe whose handler runs, else decline
 *
 * Stepping keeps no state: the slot's address names the site.  Between the two
 * traps of a step no reader is marked and no probe is current, so the thread
 * may be preempted, take signals or faults, and hit other probes meanwhile.
 *
 * ctx->site is set while handlers of a hit run in that context; a hit that
 * finds it set is recursion.
 */
#include "busy.h"
#include "children.h"
#include "detour.h"
#include "hit.h"
#include "landing.h"
#include "patches.h"
#include "place.h"
#include "return_hits.h"
#include "slot.h"
#include "table.h"

HOT void run_hit(struct kp_context *ctx, struct kp_site *site,
		 struct pt_regs *regs)
{
	uintptr_t frame = kp_hit_begin(ctx, site);
	long ran;

	kp_arch_set_pre_ip(regs, site->addr);
	ran = kp_run_pre(ctx, site, regs);
	if (!(ran & KP_PRE_TAKEN) && kp_execute(site, regs, ran) && ran)
		kp_hit_post(ctx, site, regs);
	kp_hit_end(ctx, frame);
}

/* Once the pre handlers have run.  Each post handler has a guard of its own. */
HOT void finish_framed(struct kp_context *ctx, struct kp_site *site,
		       struct pt_regs *regs, long ran)
{
	if (!(ran & KP_PRE_TAKEN) && kp_execute(site, regs, ran) && ran)
		kp_framed_post(ctx, site, regs);
	kp_framed_end(ctx);
}

/*
 * In a frame of the host's: functions of their own, so that nothing is saved
 * before it is known which of them it is.
 */
KP_TRAP_PATH COLD bool run_framed(struct pt_regs *regs, struct kp_context *ctx,
				  struct kp_site *site)
{
	kp_framed_begin(ctx, site, regs);
	kp_arch_set_pre_ip(regs, site->addr);
	finish_framed(ctx, site, regs,
		      kp_call_pre(ctx, kp_child_first(site), regs));
	return true;
}

KP_TRAP_PATH COLD bool run_quiet(struct pt_regs *regs, struct kp_context *ctx,
				 struct kp_site *site, struct kp_child *child)
{
	kp_framed_begin(ctx, site, regs);
	kp_arch_set_pre_ip(regs, site->addr);
	if (LIKELY(!kp_call_quiet(ctx, child, regs)))
		kp_execute(site, regs, false);
	kp_framed_end(ctx);
	return true;
}

/* There is no context, or it seems to be busy. */
KP_TRAP_PATH COLD void hit_again(struct kp_context *ctx, struct kp_site *site,
				 struct pt_regs *regs)
{
	if (ctx && !kp_context_busy(ctx, kernel_stack_pointer(regs)))
		ctx = kp_host_enter();
	if (ctx && !ctx->site) {
		run_hit(ctx, site, regs);
		return;
	}
	kp_hit_missed_with(site, regs);
	kp_hit_execute(site, regs, false);
}

KP_TRAP_PATH COLD bool run_again(struct pt_regs *regs, struct kp_context *ctx,
				 struct kp_site *site)
{
	hit_again(ctx, site, regs);
	return true;
}

HOT void hit(struct kp_context *ctx, struct kp_site *site,
	     struct pt_regs *regs)
{
	if (LIKELY(ctx && !ctx->site))
		run_hit(ctx, site, regs);
	else
		hit_again(ctx, site, regs);
}

KP_TRAP_PATH COLD bool stepped(struct kp_context *ctx, struct pt_regs *regs)
{
	struct kp_site *site = kp_slot_site(kp_arch_trap_addr(regs));

	if (!site || !kp_arch_step_finish(&site->arch, regs, site->slot))
		return false;
	if (ctx && ctx->site && !kp_context_busy(ctx, kernel_stack_pointer(regs)))
		ctx = kp_host_enter();
	if (ctx && !ctx->site) {
		uintptr_t frame = kp_hit_begin(ctx, site);

		kp_hit_post(ctx, site, regs);
		kp_hit_end(ctx, frame);
	}
	return true;
}

/*
 * Ask the probe whose handler runs, for what happened in that: fn(p, regs,
 * third).  With a guard of its own, so that each trap is left in order when it
 * faults: then *faulted, and it has said no.  Marked as faulting, so that it is
 * asked once.
 */
KP_TRAP_PATH static bool ask_current(struct kp_context *ctx, void *fn,
				     struct pt_regs *regs, unsigned long third,
				     bool *faulted)
{
	struct kp_arch_guard handler_guard = ctx->guard;
	long result;

	ctx->faulting = true;
	result = kp_arch_guard_call(&ctx->guard, fn, ctx->current->kp, regs,
				    third);
	ctx->faulting = false;
	*faulted = kp_arch_guard_aborted(&ctx->guard);
	ctx->guard = handler_guard;
	return !*faulted && (int)result;
}

/*
 * A foreign breakpoint in a handler: its probe's break_handler may deal with
 * it (K-JP-25).
 */
KP_TRAP_PATH static bool offer_break(struct kp_context *ctx,
				     struct pt_regs *regs)
{
	kprobe_break_handler_t handler;
	bool handled, faulted;
	unsigned long at;

	if (!ctx || !ctx->site)
		return false;
	if (!kp_context_busy(ctx, kernel_stack_pointer(regs))) {
		kp_host_enter();		/* the same one, to be left */
		return false;
	}
	if (!ctx->current || ctx->faulting)
		return false;
	handler = ctx->current->kp->break_handler;
	if (!handler)
		return false;
	at = instruction_pointer(regs);
	handled = ask_current(ctx, (void *)handler, regs, 0, &faulted);
	if (handled && instruction_pointer(regs) == at)
		kp_arch_pass(regs, kp_host_text_read);
	if (faulted)
		kp_host_log(KP_LOG_ERROR, "kprobes: a break_handler faulted; the breakpoint counts as not handled");
	return handled;
}

/* The breakpoint went away after this trap was taken (K-HIT-25). */
KP_TRAP_PATH static bool vanished(const struct pt_regs *regs)
{
	bool starts = kp_table_look(kp_arch_trap_addr(regs)) != NULL;

	return !kp_arch_breakpoint_stands(regs, starts, kp_host_text_read);
}

/* A breakpoint of ours that no site has at its address. */
KP_TRAP_PATH COLD bool own_other(struct kp_context *ctx, struct pt_regs *regs)
{
	uintptr_t body;

	if (stepped(ctx, regs))
		return true;
	if (!kp_landing_find(kp_arch_trap_addr(regs), &body))
		return false;
	instruction_pointer_set(regs, body);
	return true;
}

/*
 * What is ours without a look at the text.  Where a jump is whole there is no
 * breakpoint of ours: it was one, or it is somebody else's, who has a copy of
 * the jump.
 */
HOT struct kp_site *own_site(struct pt_regs *regs)
{
	struct kp_site *site = kp_table_look(kp_arch_trap_addr(regs));

	/* Pairs with kp_breakpoints_arm and settle(). */
	if (LIKELY(site) && kp_load_acquire(&site->state) == KP_SITE_ARMED &&
	    !site->tracer && LIKELY(!kp_load_acquire(&site->jump_whole)))
		return site;
	return NULL;
}

HOT bool own(struct kp_context *ctx, struct pt_regs *regs)
{
	struct kp_site *site = own_site(regs);

	if (!LIKELY(site))
		return own_other(ctx, regs);
	hit(ctx, site, regs);
	return true;
}

/*
 * A breakpoint stands where ours has been, and it is not ours: somebody has put his there
 * since, who takes the trap if it is his.  Tried again once: when the same context comes
 * back and no text was changed by us meanwhile, it is not.
 */
KP_TRAP_PATH static bool replaced(struct kp_context *ctx, const struct pt_regs *regs,
				  unsigned long changes)
{
	uintptr_t addr = kp_arch_trap_addr(regs);
	struct kp_site *site = kp_table_look(addr);

	if (!ctx || !site || site->tracer ||
	    (ctx->replaced == addr && ctx->replaced_at == changes))
		return false;
	ctx->replaced = addr;
	ctx->replaced_at = changes;
	return true;
}

/*
 * Nobody's breakpoint, or one that is no more: then try again.  What was not
 * ours at a first look can have become ours when the text is read; as long as
 * that may be, look again.
 */
KP_TRAP_PATH static bool own_or_gone(struct kp_context *ctx,
				     struct pt_regs *regs)
{
	unsigned long changes;

	do {
		/* Pairs with kp_patches_generation. */
		changes = kp_patches_generation();
		if (own(ctx, regs))
			return true;
		if (vanished(regs)) {
			kp_arch_retry(regs);
			return true;
		}
		/*
		 * Pairs with flush() in patches.c: the text was read before the number is, so
		 * that bytes which somebody has written meanwhile come with a new one.
		 */
		kp_fence_acquire();
	} while (kp_patches_generation() != changes);
	if (!replaced(ctx, regs, changes))
		return false;
	kp_arch_retry(regs);
	return true;
}

KP_TRAP_PATH bool kp_core_on_framed_trap(struct pt_regs *regs,
					 struct kp_context *ctx)
{
	struct kp_site *site = own_site(regs);
	struct kp_child *quiet;

	if (!LIKELY(site))
		return own_other(ctx, regs);
	if (!LIKELY(!ctx->site))
		return run_again(regs, ctx, site);
	quiet = kp_quiet_child(site);
	return LIKELY(quiet) ? run_quiet(regs, ctx, site, quiet) :
			       run_framed(regs, ctx, site);
}

KP_TRAP_PATH bool kp_core_on_framed_trap_abort(struct pt_regs *regs)
{
	struct kp_context *ctx = kp_host_context();

	finish_framed(ctx, ctx->site, regs, kp_hit_pre_aborted(ctx, regs));
	return true;
}

KP_TRAP_PATH bool kp_core_on_trap(struct pt_regs *regs)
{
	struct kp_context *ctx = kp_host_enter();
	bool ours = own_or_gone(ctx, regs) || offer_break(ctx, regs);

	kp_host_leave(ctx);
	return ours;
}

KP_TRAP_PATH bool kp_core_must_have_trapped(const struct pt_regs *regs)
{
	uintptr_t addr = kp_arch_trap_addr(regs);
	struct kp_site *site = kp_table_find(addr);
	struct pt_regs copy = *regs;

	/* Pairs with put_breakpoint(). */
	if (site && kp_load_acquire(&site->state) == KP_SITE_ARMED &&
	    !site->tracer)
		return site->arch.len > kp_arch_bp_len_of(&site->arch);
	site = kp_slot_site(addr);
	return site && kp_arch_step_finish(&site->arch, &copy, site->slot);
}

KP_TRAP_PATH bool kp_core_is_site(uintptr_t addr)
{
	return kp_table_find(addr);
}

/*
 * K-XI-48: only the trap at the stepped form's end is a step of the original.
 * The others inside a slot are not, and the jump at the boosted form's end
 * leads to the original's next instruction, where the trap is seen.
 */
KP_TRAP_PATH bool kp_core_on_single_step(struct pt_regs *regs)
{
	uintptr_t at = instruction_pointer(regs);
	struct kp_context *ctx;
	bool done;

	if (!kp_slot_site(at))
		return !kp_place_has(at) && !kp_arch_in_detour_entry(at);
	if (kp_landing_stepped(regs))
		return true;
	ctx = kp_host_enter();
	/* As if the breakpoint there had been reached. */
	kp_arch_set_pre_ip(regs, at);
	done = stepped(ctx, regs);
	if (!done)
		instruction_pointer_set(regs, at);
	kp_host_leave(ctx);
	return done;
}

/* A handler that was called without a guard of its own: make one. */
KP_TRAP_PATH static void guard_direct_call(struct kp_context *ctx,
					   const struct pt_regs *at)
{
	struct pt_regs *regs = (void *)(ctx->frame & ~KP_FRAME_BITS);

	if (ctx->framed) {
		kp_host_guard(&ctx->guard, ctx->framed,
			      ctx->site->tracer != KP_TRACER_NOT);
		return;
	}
	if (!regs || (ctx->frame & KP_FRAME_GUARDED) || ctx->lean)
		return;
	if (ctx->frame & KP_FRAME_LEAN)
		kp_arch_guard_return_lean(&ctx->guard, regs, at);
	else if (ctx->frame & KP_FRAME_RETURN)
		kp_arch_guard_return(&ctx->guard, regs);
	else
		kp_arch_guard_detour(&ctx->guard, regs);
}

/* K-FLT-04 to 06, for the handler that runs in ctx. */
KP_TRAP_PATH static bool handler_fault(struct kp_context *ctx,
				       struct pt_regs *regs, int trapnr)
{
	kprobe_fault_handler_t handler = NULL;
	bool resolved = false, faulted;

	if (!ctx->faulting) {
		guard_direct_call(ctx, regs);
		kp_hit_missed_there(ctx, ctx->site);
		/* Else the fault is its own: nobody can be asked, nothing fixes it. */
		if (kp_hit_struct_there(ctx, ctx->current))
			handler = ctx->current->kp->fault_handler;
		if (handler)
			resolved = ask_current(ctx, (void *)handler, regs,
					       (unsigned long)trapnr,
					       &faulted);
		if (resolved || kp_host_fixup(regs, trapnr)) {
			kp_detour_lean_go_on(ctx);
			return true;
		}
	}
	kp_arch_guard_abort(&ctx->guard, regs);
	return true;
}

KP_TRAP_PATH static bool offer_fault(struct kp_context *ctx,
				     struct kp_site *site,
				     struct pt_regs *regs, int trapnr)
{
	struct kp_child *child;
	int taken = 0;

	for (child = kp_child_first(site); child; child = kp_child_next(child)) {
		kprobe_fault_handler_t fault;

		if (!kp_child_enabled(child) || !kp_hit_struct_there(ctx, child))
			continue;
		fault = child->kp->fault_handler;
		if (!fault)
			continue;
		ctx->faulting = true;
		if (kp_hit_call(ctx, child, (void *)fault, child->kp, regs,
				 (unsigned long)trapnr, &taken) && taken)
			break;
		taken = 0;
	}
	ctx->faulting = false;
	return taken;
}

/* K-FLT-07, 08: the copied instruction faulted; probed: it is the probed one. */
KP_TRAP_PATH static bool copy_fault(struct kp_context *ctx,
				    struct kp_site *site, struct pt_regs *regs,
				    int trapnr, bool probed)
{
	uintptr_t frame;
	bool resolved;

	if (!ctx)
		return false;
	if (ctx->site && !kp_context_busy(ctx, kernel_stack_pointer(regs)))
		ctx = kp_host_enter();
	/* In what a handler called: the handler's fault. */
	kp_detour_lean_fault(ctx, regs);
	if (ctx->current)
		return handler_fault(ctx, regs, trapnr);
	if (ctx->site || !probed)
		return false;
	frame = kp_hit_begin(ctx, site);
	resolved = offer_fault(ctx, site, regs, trapnr);
	kp_hit_end(ctx, frame);
	return resolved;
}

/* At a boundary inside a jump, or where one was a moment ago. */
KP_TRAP_PATH static bool landing_fault(struct pt_regs *regs, int trapnr)
{
	uintptr_t at = instruction_pointer(regs), body;
	struct kp_context *ctx;
	bool stale;

	if (trapnr != KP_ARCH_LANDING_TRAP) {
		ctx = kp_host_enter();
		stale = kp_landing_astray(at, &body);
		kp_host_leave(ctx);
		if (stale)
			instruction_pointer_set(regs, body);
		return stale;
	}
	if (kp_landing_find(at, &body) || kp_landing_put_back(at, &body)) {
		instruction_pointer_set(regs, body);
		return true;
	}
	/* It may be the first thing that happens in this context. */
	ctx = kp_host_enter();
	stale = kp_landing_stale(ctx, at);
	kp_host_leave(ctx);
	return stale;
}

KP_TRAP_PATH bool kp_core_on_fault(struct pt_regs *regs, int trapnr)
{
	struct kp_context *ctx;
	struct kp_site *site;
	bool resolved, probed;

	if (landing_fault(regs, trapnr))
		return true;
	site = kp_landing_leave(regs, &probed);
	if (site) {
		ctx = kp_host_enter();
		resolved = copy_fault(ctx, site, regs, trapnr, probed);
		kp_host_leave(ctx);
		return resolved;
	}
	ctx = kp_host_context();
	/* A look of our own, which says by itself what it has found: kp_hit_struct_there. */
	if (ctx && ctx->looking)
		return false;
	kp_detour_lean_fault(ctx, regs);
	if (!ctx || !ctx->current || !kp_context_busy(ctx, kernel_stack_pointer(regs)))
		return false;
	return handler_fault(ctx, regs, trapnr);
}

KP_TRAP_PATH uintptr_t kp_core_original_ip(uintptr_t ip)
{
	uintptr_t original = kp_landing_original(ip);

	return original != ip ? original : kp_return_real(ip);
}
