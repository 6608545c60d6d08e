/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * guard.c - abandoning a guarded call.
 *
 * Owns: kp_arch_guard_abort; entry.S owns the call and the landing, which reloads the
 * callee-saved registers from the guard.  Native hosts only.
 */
#include "guard_asm.h"
#include "probe.h"

#define AT(field, off) _Static_assert(offsetof(struct kp_arch_guard, field) == (off), "guard_asm.h")
AT(sp, GUARD_SP); AT(ip, GUARD_IP); AT(r4, GUARD_R4); AT(aborted, GUARD_ABORTED);
_Static_assert(sizeof(struct kp_arch_guard) == GUARD_LEN, "guard_asm.h");

/* In entry.S: expects the guard in r0 and nothing else. */
extern const char kp_arch_guard_landing[]
	__attribute__((visibility("hidden")));

/* The handler may be of T32, and in an IT block; the landing is of A32. */
KP_TRAP_PATH void kp_arch_guard_abort(const struct kp_arch_guard *guard,
				      struct pt_regs *regs)
{
	regs->ARM_r0 = (unsigned long)guard;
	regs->ARM_sp = guard->sp;
	regs->ARM_pc = (unsigned long)kp_arch_guard_landing;
	regs->ARM_cpsr &= ~(unsigned long)(KP_ARM_CPSR_T | KP_ARM_CPSR_IT);
}
