/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * taken_back.h - calls of kernels that take an interrupted one back before a tracer sees it:
 * arm64's, riscv64's and arm's.
 *
 * Owns: where a call's result is, in the first argument's register, and how one begins anew.
 */
#ifndef KP_CLI_TAKEN_BACK_H
#define KP_CLI_TAKEN_BACK_H

/* At a call's end. */
static inline long tracee_result(const struct tracee_regs *regs)
{
	return (long)regs->x[TRACEE_ARG];
}

/* That begins anew. */
static inline void tracee_restart(struct tracee_regs *regs)
{
	tracee_set_ip(regs, tracee_ip(regs) - tracee_call_len(regs));
}

#endif
