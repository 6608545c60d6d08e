/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * one_set.h - what machine.h says of text where the processor has one instruction set.
 *
 * Owns: that.  Where there are two, the processor's folder has a file of its own.
 */
#ifndef KP_USER_ONE_SET_H
#define KP_USER_ONE_SET_H

#include "arch.h"

#include <signal.h>
#include <ucontext.h>

#define KP_CODE_UNIT KP_ARCH_BP_LEN	/* instructions begin at its multiples */

/* What asks an unwinder for the address of the frame it is at. */
#define KP_UNWIND_GET "_Unwind_GetIP"
struct _Unwind_Context;
typedef uintptr_t (*kp_unwind_get)(struct _Unwind_Context *at);

static inline uintptr_t kp_unwind_ip(kp_unwind_get get, struct _Unwind_Context *at)
{
	return get(at);
}

/* A breakpoint of the host's own, of the second set or not. */
static inline const uint8_t *kp_set_bp(bool second)
{
	(void)second;
	return kp_arch_bp;
}

static inline unsigned int kp_set_bp_len(bool second)
{
	(void)second;
	return KP_ARCH_BP_LEN;
}

/* Is it the second that a thread with these registers is in? */
#define kp_uc_second(uc) ((void)(uc), false)
#define kp_regs_second(regs) ((void)(regs), false)

/* A pointer to code where it is, as a thread goes there; and back. */
#define kp_uc_pointer(uc, addr) ((void)(uc), (addr))
#define kp_uc_set_pointer kp_uc_set_ip

/* One that traps behind an instruction that these registers are at. */
#define kp_set_bp_behind(regs) ((void)(regs), kp_arch_bp)

/* Does a system call's instruction that stands there belong to the second set? */
static inline bool kp_call_second(uintptr_t call)
{
	(void)call;
	return false;
}

/* Behind a system call's instruction at addr that a thread with these registers has executed. */
#define kp_uc_behind_call(uc, addr) ((void)(uc), (addr) + KP_SYSCALL_LEN)

/* May a fault be a breakpoint's that was gone when the kernel looked which one it is? */
static inline bool kp_uc_undecided(const siginfo_t *info, const ucontext_t *uc)
{
	(void)info;
	(void)uc;
	return false;
}

/*
 * Where a write goes that a kernel was to make for the program, since it is off its boundary:
 * then the signal tells no address.  *last: of its last byte.  0: it is no such thing.
 */
#define kp_uc_off_boundary(info, uc, regs, last) ((void)(regs), (void)(last), 0)

/*
 * Shared memory may stand at addresses that are the same modulo so many pages; and before
 * a page is protected, it is made the program's own, where that matters: 0 or -errno.
 */
#define KP_SHARED_COLOURS 1ul
#define kp_own_page(addr) ((void)(addr), 0)

/* To a system call's instruction of the host's own, for one of the program's. */
#define kp_uc_lead kp_uc_set_ip

/* To code of the host's own, whichever set the thread is in. */
#define kp_uc_enter_host kp_uc_set_ip
#define kp_regs_enter_host(regs, ip) instruction_pointer_set(regs, ip)

/* fn(a, b), which stands at entry, from past on; what a function finds of its call it finds. */
#define kp_user_call_past(a, b, past, entry)	\
	((void)(entry), ((int (*)(__typeof__(a), __typeof__(b)))(past))(a, b))

/* Which set stands at addr, in *flags; or why that is not known. */
struct kp_object;
static inline const char *kp_user_set_at(struct kp_object *object, uintptr_t addr,
					 unsigned int *flags)
{
	(void)object;
	(void)addr;
	(void)flags;
	return NULL;
}

/* Is it data among text, for sure? */
static inline bool kp_user_is_data_at(struct kp_object *object, uintptr_t addr)
{
	(void)object;
	(void)addr;
	return false;
}

#endif
