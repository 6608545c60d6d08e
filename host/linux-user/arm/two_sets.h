/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * two_sets.h - what machine.h says of text that may be of A32 or of T32 (Thumb), the second.
 *
 * Owns: the breakpoints of both for the host's own, and which set a system call's instruction
 * is of.  sets.c finds out what stands at an address.
 */
#ifndef KP_USER_TWO_SETS_H
#define KP_USER_TWO_SETS_H

#include "arch.h"

#include <signal.h>
#include <ucontext.h>

#define KP_CODE_UNIT 2			/* instructions begin at its multiples */
#define KP_SVC_A32 0xef000000u
#define KP_SVC_T32 0xdf00u

static inline const uint8_t *kp_set_bp(bool second)
{
	static const uint8_t t32[] = { KP_ARM_T32_BP & 0xff, KP_ARM_T32_BP >> 8 };

	return second ? t32 : kp_arch_bp;
}

static inline unsigned int kp_set_bp_len(bool second)
{
	return second ? 2 : KP_ARCH_BP_LEN;
}

/* Does a system call's instruction that stands there belong to the second set? */
static inline bool kp_call_second(uintptr_t call)
{
	return *(const uint16_t *)call == KP_SVC_T32;
}

/* Is it the second that a thread with these registers is in? */
static inline bool kp_uc_second(const ucontext_t *uc)
{
	return uc->uc_mcontext.arm_cpsr & KP_ARM_CPSR_T;
}

static inline bool kp_regs_second(const struct pt_regs *regs)
{
	return regs->ARM_cpsr & KP_ARM_CPSR_T;
}

/*
 * One that traps behind an instruction that these registers are at: in an IT block bkpt, whatever
 * that says; not everywhere, since a kernel writes two lines into its log of each.
 */
static inline const uint8_t *kp_set_bp_behind(const struct pt_regs *regs)
{
	static const uint8_t bkpt[] = { KP_ARM_BLOCK_BP & 0xff, KP_ARM_BLOCK_BP >> 8 };
	const bool second = kp_regs_second(regs);

	return second && regs->ARM_cpsr & KP_ARM_CPSR_IT ? bkpt : kp_set_bp(second);
}

/* Behind a system call's instruction at addr that a thread with these registers has executed. */
static inline uintptr_t kp_uc_behind_call(const ucontext_t *uc, uintptr_t addr)
{
	return addr + (kp_uc_second(uc) ? 2 : 4);
}

/* A pointer to code where it is, as a thread goes there; and back. */
static inline uintptr_t kp_uc_pointer(const ucontext_t *uc, uintptr_t addr)
{
	return addr | kp_uc_second(uc);
}

static inline void kp_uc_set_pointer(ucontext_t *uc, uintptr_t pointer)
{
	uc->uc_mcontext.arm_pc = kp_arch_code_at(pointer);
	uc->uc_mcontext.arm_cpsr &= ~(unsigned long)(KP_ARM_CPSR_T | KP_ARM_CPSR_IT);
	if (pointer & 1)
		uc->uc_mcontext.arm_cpsr |= KP_ARM_CPSR_T;
}

/* regs go on at a function of the host's own, of A32. */
static inline void kp_regs_enter_host(struct pt_regs *regs, uintptr_t fn)
{
	regs->ARM_pc = fn;
	regs->ARM_cpsr &= ~(unsigned long)(KP_ARM_CPSR_T | KP_ARM_CPSR_IT);
}

/* As one_set.h has it. */
#define kp_user_call_past(a, b, past, entry) \
	((void)(entry), ((int (*)(__typeof__(a), __typeof__(b)))(past))(a, b))

/* Which set stands at addr, in *flags; or why that is not known. */
struct kp_object;
const char *kp_user_set_at(struct kp_object *object, uintptr_t addr, unsigned int *flags);
/* Is it data among text, for sure? */
bool kp_user_is_data_at(struct kp_object *object, uintptr_t addr);
/* 'a', 't' or 'd', of the last $a, $t or $d in [from, addr]; 0: there is none. */
char kp_user_mark_at(struct kp_object *object, uintptr_t from, uintptr_t addr);

#endif
