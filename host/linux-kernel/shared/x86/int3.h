/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * int3.h - what the short ways of both modes of x86 have in common.
 *
 * Owns: the names that short.c of either and int3.c call each other by.
 */
#ifndef KP_KERNEL_INT3_H
#define KP_KERNEL_INT3_H

#include <linux/ptrace.h>

/*
 * short.c's, in assembly: in the place of exc_int3; where kp_int3_hit returns to, which it
 * calls with one word pushed; what an abandoned handler goes to instead, with the stack as on
 * kp_int3_entry; what becomes a jump to exc_int3.
 */
extern const char kp_int3_entry[], kp_int3_called[], kp_int3_aborted[],
	kp_int3_original[];

/* int3.c's.  Trap path: is it a probe's, one of the host's own?  A handler was abandoned. */
bool kp_int3_hit(struct pt_regs *regs);
bool kp_int3_other(struct pt_regs *regs);
void kp_int3_abort(struct pt_regs *regs);

/* Stores the word at at, of the kernel's text, in the stopped machine.  0 or -errno. */
int kp_int3_lead(uintptr_t at, unsigned long value);

#endif
