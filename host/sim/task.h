/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * task.h - who executes.
 *
 * Owns: the duties of port/host.h about the calling thread that a host may serve
 * inline; here they are functions.
 */
#ifndef KP_TASK_H
#define KP_TASK_H

#include "host.h"

struct kp_context *kp_host_context_here(void);
struct kp_context *kp_host_context_lean(void);
struct kp_context *kp_host_enter_lean(uintptr_t sp);
void kp_host_leave_lean(struct kp_context *ctx);
bool kp_host_task_known(const struct kp_context *ctx);
void kp_host_task_again(struct kp_task *out, uintptr_t sp);
void kp_host_task_stamp(struct kp_task *out, const struct kp_context *ctx,
			uintptr_t sp);
void kp_host_task(struct kp_task *out, uintptr_t sp);

#endif
