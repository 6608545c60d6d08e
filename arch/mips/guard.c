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
AT(sp, GUARD_SP); AT(ip, GUARD_IP); AT(s, GUARD_S0); AT(gp, GUARD_GP); AT(fp, GUARD_FP);
AT(aborted, GUARD_ABORTED);

/* In entry.S: expects the guard in a0 and nothing else. */
extern const char kp_arch_guard_landing[]
	__attribute__((visibility("hidden")));

KP_TRAP_PATH void kp_arch_guard_abort(const struct kp_arch_guard *guard,
				      struct pt_regs *regs)
{
	regs->regs[4] = (unsigned long)guard;
	regs->regs[KP_MIPS_SP] = guard->sp;
	regs->cp0_epc = (unsigned long)kp_arch_guard_landing;
}
