/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * no_pages.c - for processors on which no memory is watched by its pages yet.
 *
 * Owns: saying so, to the core and to the host's other files.
 */
#include "no_pages.h"
#include "sys.h"
#include "freestanding/heap.h"
#include "text/intercept.h"
#include "signals/mask.h"
#include "signals/outs_table.h"
#include "watch/disturbed.h"
#include "watch/page_store.h"
#include "watch/pages.h"
#include "watch/passage.h"

KP_TRAP_PATH enum kp_step
kp_user_page_fault(const siginfo_t *info, ucontext_t *uc, struct pt_regs *regs,
		   const struct kp_arch_vectors *vectors)
{
	(void)info;
	(void)uc;
	(void)regs;
	(void)vectors;
	return KP_STEP_NONE;
}

KP_TRAP_PATH bool kp_user_page_step_over(uintptr_t ip)
{
	(void)ip;
	return false;
}

KP_TRAP_PATH enum kp_step kp_user_page_stepped(ucontext_t *uc,
					       struct pt_regs *regs)
{
	(void)uc;
	(void)regs;
	return KP_STEP_NONE;
}

KP_TRAP_PATH bool kp_user_page_trapped(ucontext_t *uc, struct pt_regs *regs)
{
	(void)uc;
	(void)regs;
	return false;
}

void kp_user_page_steps(kp_user_range_fn each, void *arg)
{
	(void)each;
	(void)arg;
}

KP_TRAP_PATH bool kp_user_outs_none(unsigned long nr)
{
	(void)nr;
	return false;
}

KP_TRAP_PATH void kp_user_page_step_faulted(ucontext_t *uc)
{
	(void)uc;
}

KP_TRAP_PATH void kp_user_passage(const struct kp_intercept *intercept, ucontext_t *uc)
{
	kp_user_mask_trap(intercept, uc);
}

bool kp_user_passages_left(void)
{
	return false;
}

KP_TRAP_PATH bool kp_user_passed(ucontext_t *uc, struct pt_regs *regs)
{
	(void)uc;
	(void)regs;
	return false;
}

KP_TRAP_PATH bool kp_user_passage_ends(uintptr_t addr)
{
	(void)addr;
	return false;
}

void kp_user_pages_end(void)
{
}

void kp_user_pages_know_thread(void)
{
}

KP_TRAP_PATH bool kp_user_pages_arrived(const siginfo_t *info,
					const ucontext_t *uc)
{
	(void)info;
	(void)uc;
	return false;
}
