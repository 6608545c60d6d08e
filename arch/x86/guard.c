/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * guard.c - abandoning a guarded call.
 *
 * Owns: kp_arch_guard_abort; entry.S owns the call and the landing, which
 * reloads the callee-saved registers from the guard.  Native hosts only.
 */
#include "probe.h"

#define AT(field, off)							\
	_Static_assert(offsetof(struct kp_arch_guard, field) == (off),	\
		       "entry.S: " #field)
AT(sp, 0); AT(ip, 8); AT(bx, 16); AT(bp, 24);
AT(r12, 32); AT(r13, 40); AT(r14, 48); AT(r15, 56); AT(aborted, 64);

/* In entry.S: expects the guard in %rdi and nothing else. */
extern const char kp_arch_guard_landing[]
	__attribute__((visibility("hidden")));

KP_TRAP_PATH void kp_arch_guard_abort(const struct kp_arch_guard *guard,
				      struct pt_regs *regs)
{
	regs->di = (unsigned long)guard;
	regs->sp = guard->sp;
	regs->ip = (unsigned long)kp_arch_guard_landing;
	/* The calling convention's flags; AC would leave user access open. */
	regs->flags &= ~(KP_X86_FLAG_DF | KP_X86_FLAG_AC | KP_X86_FLAG_NT |
			 KP_X86_FLAG_TF);
}
