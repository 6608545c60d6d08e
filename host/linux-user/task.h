/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * task.h - who executes.
 *
 * Owns: the duties of port/host.h about the calling thread, inline: every hooked
 * call asks for it.  identity.c says who a thread is.
 */
#ifndef KP_USER_TASK_H
#define KP_USER_TASK_H

#include "atomic.h"
#include "context.h"
#include "thread.h"
#include "threads/contexts.h"

static inline __attribute__((__always_inline__)) struct kp_context *
kp_host_context_here(void)
{
	return &kp_user_thread()->room.context->core;
}

/* A lean handler's. */
static inline __attribute__((__always_inline__)) struct kp_context *
kp_host_context_lean(void)
{
	return kp_host_context_here();
}

/*
 * As KP_LEAN's way in of env_asm.h: rsp is where this thread is known to be, its
 * context has no reader, and no signal that is blocked.
 */
static inline __attribute__((__always_inline__)) struct kp_context *
kp_host_enter_lean(uintptr_t sp)
{
	const struct kp_user_room *room = &kp_user_thread()->room;
	struct kp_user_context *ctx;

	if (__builtin_expect(sp - room->from > room->len, 0))
		return NULL;
	ctx = room->context;
	if (__builtin_expect(ctx->inside || ctx->odd, 0))
		return NULL;
	kp_store_relaxed(&ctx->inside, sp);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return &ctx->core;
}

static inline __attribute__((__always_inline__)) void
kp_host_leave_lean(struct kp_context *core)
{
	struct kp_user_context *ctx = (struct kp_user_context *)core;

	kp_store_release(&ctx->left, ctx->left + 1);
	/* Release: what was read, before the mark goes. */
	kp_store_release(&ctx->inside, 0);
}

/* identity.c: the thread is asked for, and its context has no stamp. */
void kp_user_task_know(void);

/* A context is stamped when its thread is known. */
static inline __attribute__((__always_inline__)) bool
kp_host_task_known(const struct kp_context *core)
{
	return kp_load_relaxed(&((const struct kp_user_context *)core)->stamp);
}

static inline __attribute__((__always_inline__)) void
kp_host_task_again(struct kp_task *out, uintptr_t sp)
{
	struct kp_shim_identity *own = &kp_user_thread()->own;

	out->task = own;
	out->id = own->serial;
	out->bound = sp - own->stack < own->stack_len;
}

static inline __attribute__((__always_inline__)) void
kp_host_task_stamp(struct kp_task *out, const struct kp_context *core,
		   uintptr_t sp)
{
	const struct kp_user_room *room = &kp_user_thread()->room;
	/* Before the room is looked at, which a signal's handler changes after it. */
	unsigned long stamp = kp_load_acquire(
		&((const struct kp_user_context *)core)->stamp);

	out->stamp = stamp && sp - room->from <= room->len ? stamp
							  : KP_TASK_UNSTAMPED;
}

static inline __attribute__((__always_inline__)) void
kp_host_task(struct kp_task *out, uintptr_t sp)
{
	/* Who registers may have no context. */
	if (__builtin_expect(!kp_user_thread()->room.context ||
			     !kp_host_task_known(kp_host_context_here()), 0))
		kp_user_task_know();
	kp_host_task_again(out, sp);
}

#endif
