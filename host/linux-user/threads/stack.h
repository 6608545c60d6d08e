/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * stack.h - room for handlers.
 *
 * Owns: the prototypes of stack.c.
 */
#ifndef KP_USER_STACK_H
#define KP_USER_STACK_H

#include "thread.h"
#include "threads/contexts.h"

struct kp_arrival {
	siginfo_t *info;
	ucontext_t *uc;
	bool executed, shown;		/* what is to be told to the program */
};
/* At once, for most: no alternate stack, and where this thread was before. */
static inline bool kp_user_room_known(const ucontext_t *uc)
{
	const struct kp_user_room *room = &kp_user_thread()->room;

	return (uc->uc_stack.ss_flags & SS_DISABLE) &&
	       (uintptr_t)uc - room->from <= room->len;
}
void kp_user_stack_init(void);
void kp_user_with_room(struct kp_arrival *arrival,
		       void (*fn)(struct kp_arrival *arrival));
uintptr_t kp_user_room_for_jump(uintptr_t sp);	/* where; 0: nowhere */
unsigned long kp_user_cramped_detour(struct pt_regs *regs, void *tag);
void kp_user_cramped_post(struct pt_regs *regs, void *tag);
bool kp_user_cramped_return(struct pt_regs *regs);
void kp_user_alt_stack(struct kp_user_context *ctx, uintptr_t sp, size_t len);
void kp_user_alt_stacks_watched(bool all);	/* of new threads: from their start */
void kp_user_call_on(uintptr_t sp, void (*fn)(void *arg), void *arg);
/* The same on one of ours, if there is one and it is free. */
void kp_user_on_stack_of_ours(void (*fn)(void *arg), void *arg);
void kp_user_know_stack(void);		/* while the kernel may be asked */

#endif
