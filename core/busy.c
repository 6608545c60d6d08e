/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * busy.c - whether a context is busy, or was left in the middle of a hit.
 *
 * Owns: that question.  In a process a signal may interrupt a hit, and its handler may never
 * return.  ctx->site and ctx->frame then describe a hit that no longer exists.  This file finds
 * that out when it matters.
 *
 * Locks: none.  Trap path, except kp_in_handler.
 */
#include "busy.h"
#include "context.h"
#include "enter.h"
#include "left.h"

/* A return's has nothing that must stand there. */
KP_TRAP_PATH static bool overwritten(const struct kp_context *ctx)
{
	return !(ctx->frame & KP_FRAME_RETURN) &&
	       kp_arch_detour_overwritten((void *)(ctx->frame & ~KP_FRAME_BITS),
					  ctx->site->addr, &host_mem);
}

KP_TRAP_PATH bool kp_context_busy(struct kp_context *ctx, uintptr_t sp)
{
	if (!ctx->site)
		return false;
	if (!KP_LEFT_BEHIND || !ctx->frame ||
	    !(overwritten(ctx) || kp_host_unwound(ctx, sp)))
		return true;
	/* As a reader, which this context was until now. */
	kp_left_for_good(ctx);
	kp_host_forget(ctx);
	ctx->site = NULL;
	ctx->current = NULL;
	ctx->jprobe = NULL;
	ctx->faulting = false;
	ctx->posting = false;
	ctx->frame = 0;
	return false;
}

KP_TRAP_PATH void kp_core_left_for(struct kp_context *ctx, uintptr_t sp)
{
	kp_context_busy(ctx, sp);
}

/*
 * Whether handlers may run after all in a context that seems to be busy.  Left
 * first, so that what was saved is the program's the second time, too; whatever
 * the context is busy with, or was, keeps the reader marked meanwhile.
 */
KP_TRAP_PATH bool kp_context_enter_again(struct kp_context *ctx,
					struct kp_host_saved *saved,
					uintptr_t sp)
{
	bool busy;

	if (!ctx)
		return false;
	kp_host_leave_detour(ctx, saved);
	busy = kp_context_busy(ctx, sp);
	kp_host_enter_detour(saved);		/* the same one */
	return !busy;
}

bool kp_in_handler(void)
{
	struct kp_context *ctx = kp_host_context();

	return ctx && kp_context_busy(ctx,
				     (uintptr_t)__builtin_frame_address(0));
}
