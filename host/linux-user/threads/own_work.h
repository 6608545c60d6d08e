/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * own_work.h - what the engine does in the process for itself.
 *
 * Owns: the prototypes of own_work.c.
 */
#ifndef KP_USER_OWN_WORK_H
#define KP_USER_OWN_WORK_H

#include "env.h"
#include "threads/contexts.h"

/*
 * The calling thread is at work for the engine.  begin returns what end takes.
 * A module's function interrupts that: pause returns what resume takes.
 */
struct kp_user_context *kp_user_own_begin(void);
void kp_user_own_end(struct kp_user_context *ctx);
void kp_user_own_has_begun(void);		/* a thread of ours, to its end */
unsigned int kp_user_own_pause(void);
void kp_user_own_resume(unsigned int nr);
/* A thread that is; who is made is kept in it.  0 or -errno. */
int kp_user_own_thread(size_t stack_len, void (*fn)(void));
static inline void kp_user_own_enter(struct kp_user_context *ctx)	/* any context */
{
	ctx->cramped++;
	ctx->own_work++;
}

#endif
