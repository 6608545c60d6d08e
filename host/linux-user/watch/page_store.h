/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * page_store.h - a write to a protected page.
 *
 * Owns: the prototypes of page_store.c.
 */
#ifndef KP_USER_PAGE_STORE_H
#define KP_USER_PAGE_STORE_H

#include "sys.h"
#include "freestanding/heap.h"

struct kp_arch_vectors;

enum kp_step {
	KP_STEP_NONE,			/* not ours */
	KP_STEP_DONE,			/* regs are as after the instruction */
	KP_STEP_SHOWN,			/* regs are as before; or the program wants a step */
};
enum kp_step kp_user_page_fault(const siginfo_t *info, ucontext_t *uc,
				struct pt_regs *regs,
				const struct kp_arch_vectors *vectors);
bool kp_user_page_step_over(uintptr_t ip);	/* and its trap not told of? */
enum kp_step kp_user_page_stepped(ucontext_t *uc, struct pt_regs *regs);
bool kp_user_page_trapped(ucontext_t *uc, struct pt_regs *regs);	/* a step's end? */
void kp_user_page_step_faulted(ucontext_t *uc);
/* Where threads execute one instruction of theirs, until its trap. */
void kp_user_page_steps(kp_user_range_fn each, void *arg);

void kp_user_page_fault_init(void);
/*
 * On a protected page: if the len bytes are old, make new of them; and, where that was
 * done, tell of it.  For a store-exclusive.
 */
bool kp_user_page_swap_if(uintptr_t addr, unsigned int len, const uint64_t *old,
			  const uint64_t *new);
void kp_user_page_swapped(struct pt_regs *regs);

#endif
