/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * task.h - who executes.
 *
 * Owns: the duties of port/host.h about the calling thread, inline: every hooked
 * call asks for it.  returns.c says who a thread is.
 */
#ifndef KP_USER_TASK_H
#define KP_USER_TASK_H

#include "host.h"
#include "shim.h"

static inline struct kp_context *kp_host_context_here(void)
{
	return kp_host_context();
}

/* returns.c: when the thread is asked for first. */
void kp_user_task_first(struct kp_shim_identity *own);

static inline __attribute__((__always_inline__)) void
kp_host_task(struct kp_task *out, uintptr_t sp)
{
	struct kp_shim_identity *own = &kp_shim_own;

	if (__builtin_expect(!own->tid, 0))
		kp_shim_identity();
	out->task = own;
	out->id = own->serial;
	out->bound = sp - own->stack < own->stack_len;
}

#endif
