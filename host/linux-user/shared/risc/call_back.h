/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * call_back.h - a system call that was made elsewhere, where its result has the place of its
 * first argument.
 *
 * Owns: how the program's registers become those behind its own call.  It is a part of
 * machine.h, behind what that says of arguments.
 */
#ifndef KP_USER_CALL_BACK_H
#define KP_USER_CALL_BACK_H

/* Behind the instruction of a call whose breakpoint the signal reports. */
static inline uintptr_t kp_uc_next(const ucontext_t *uc)
{
	return kp_uc_pointer(uc, kp_uc_behind_call(uc, kp_uc_trap_addr(uc)));
}

/* A call that was made elsewhere, with other arguments, has been made in its place. */
static inline void kp_uc_call_back(ucontext_t *uc, const unsigned long args[6],
				   uintptr_t next)
{
	unsigned int i;

	for (i = 1; i < 6; i++)
		kp_uc_set_arg(uc, i, (long)args[i]);
	kp_uc_set_pointer(uc, next);
}

#endif
