/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * guard.c - abandoning a guarded call.
 *
 * Owns: kp_arch_guard_abort; entry.S owns the call and the landing, which reloads the
 * callee-saved registers from the guard.  Native hosts only.
 */
#include "guard_asm.h"
#include "probe.h"

_Static_assert(offsetof(struct kp_arch_guard, sp) == GUARD_SP, "guard_asm.h");
_Static_assert(offsetof(struct kp_arch_guard, ip) == GUARD_IP, "guard_asm.h");
_Static_assert(offsetof(struct kp_arch_guard, s) == GUARD_S0, "guard_asm.h");
_Static_assert(offsetof(struct kp_arch_guard, aborted) == GUARD_ABORTED,
	       "guard_asm.h");

/* In entry.S: expects the guard in a0 and nothing else. */
extern const char kp_arch_guard_landing[]
	__attribute__((visibility("hidden")));

KP_TRAP_PATH void kp_arch_guard_abort(const struct kp_arch_guard *guard,
				      struct pt_regs *regs)
{
	regs->a0 = (unsigned long)guard;
	regs->sp = guard->sp;
	regs->epc = (unsigned long)kp_arch_guard_landing;
}
