/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * call_words.h - a system call of the program, on processors that pass arguments in registers
 * which the frame has side by side.
 *
 * Owns: its arguments and its result, which is in the first of them; and how the program's
 * registers become those behind its own call when it was made elsewhere.  machine.h says
 * where the arguments are (KP_UC_ARG_REG) and includes this.  A processor with other arguments
 * has functions of its own for them, and takes the rest.  All of it is trap path.
 */
#ifndef KP_USER_CALL_WORDS_H
#define KP_USER_CALL_WORDS_H

#define KP_CLONE_CHILD_TID 4	/* which argument of clone(2) */

#ifdef KP_UC_ARG_REG
static inline long kp_uc_arg(const ucontext_t *uc, unsigned int n)
{
	return (long)KP_UC_ARG_REG(uc, n);
}

static inline void kp_uc_set_arg(ucontext_t *uc, unsigned int n, long value)
{
	KP_UC_ARG_REG(uc, n) = (unsigned long)value;
}

static inline long kp_uc_result(const ucontext_t *uc)
{
	return (long)KP_UC_ARG_REG(uc, 0);
}

static inline void kp_uc_set_result(ucontext_t *uc, long result)
{
	KP_UC_ARG_REG(uc, 0) = (unsigned long)result;
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

/* Behind the instruction of a call whose breakpoint the signal reports. */
static inline uintptr_t kp_uc_next(const ucontext_t *uc)
{
	return kp_uc_pointer(uc, kp_uc_behind_call(uc, kp_uc_trap_addr(uc)));
}

/* It was served in the handler of the breakpoint in its place, and has this result. */
static inline void kp_uc_call_done(ucontext_t *uc, long result)
{
	kp_uc_set_result(uc, result);
	kp_uc_set_ip(uc, kp_uc_behind_call(uc, kp_uc_ip(uc)));
}

#ifdef KP_CALL_WORD
/* Are these bytes that instruction? */
static inline bool kp_is_call(const uint8_t *bytes)
{
	const uint32_t call = KP_CALL_WORD;

	return !memcmp(bytes, &call, sizeof(call));
}
#endif

#endif
