/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * own_work.c - what the engine does in the process for itself.
 *
 * Owns: which threads are at such work.  They call the C library, whose functions may
 * be probed: to make and end threads, to load a module, to answer the command.  None of
 * that is a hit of the program's, so their context has no room for handlers (cramped),
 * and a hit is not counted as missed either (kp_host_is_own_work).  A hit of another
 * thread costs nothing for it.
 *
 * A thread of ours is one from its first instruction on (newborn.c).
 *
 * Invariant: a thread of the program's is at such work only while its signals are
 * blocked, or before main: the program's handlers are the program's.
 *
 * Locks: none.
 */
#include "threads/own_work.h"
#include "host.h"
#include "thread.h"
#include "threads/contexts.h"
#include "threads/newborn.h"

/*
 * By a thread of ours, as the first thing that it does: it has its context by now.  When it
 * has ended, a thread of the program's may be where it was.
 */
void kp_user_own_has_begun(void)
{
	kp_user_own_begin();
	/* Not before there is a context. */
	kp_user_newborn_begun();
}

struct kp_user_context *kp_user_own_begin(void)
{
	struct kp_user_context *ctx = kp_user_context();

	if (ctx)
		kp_user_own_enter(ctx);
	return ctx;
}

void kp_user_own_end(struct kp_user_context *ctx)
{
	if (!ctx)
		return;
	ctx->own_work--;
	ctx->cramped--;
}

/* A module's own functions run in the middle of it. */
unsigned int kp_user_own_pause(void)
{
	struct kp_user_context *ctx = kp_user_context();
	unsigned int nr = ctx ? ctx->own_work : 0;

	if (nr) {
		ctx->own_work = 0;
		ctx->cramped -= (uint8_t)nr;
	}
	return nr;
}

void kp_user_own_resume(unsigned int nr)
{
	struct kp_user_context *ctx = kp_user_context();

	if (nr && ctx) {
		ctx->own_work += (uint8_t)nr;
		ctx->cramped += (uint8_t)nr;
	}
}

KP_TRAP_PATH bool kp_host_is_own_work(void)
{
	const struct kp_user_context *ctx = kp_user_thread()->room.context;

	return ctx && ctx->own_work;
}

int kp_user_own_thread(size_t stack_len, void (*fn)(void))
{
	struct kp_user_context *ctx = kp_user_own_begin();
	int err;

	err = kp_user_newborn_make(stack_len, fn);
	kp_user_own_end(ctx);
	return err;
}

void kp_process_own_work(bool begins)
{
	struct kp_user_context *ctx = kp_user_context();

	if (begins && ctx)
		kp_user_own_enter(ctx);
	else if (ctx && ctx->own_work)
		kp_user_own_end(ctx);
}
