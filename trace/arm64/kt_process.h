/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kt_process.h - what a trace module in a process has of its own on arm64.
 *
 * Owns: system calls without the C library, on which processor a thread runs, and where
 * its registers are when its stack is walked.  Trap path.
 */
#ifndef KT_PROCESS_ARCH_H
#define KT_PROCESS_ARCH_H

#include <kprobes/pt_regs.h>
#include <linux/types.h>

/*
 * A system call clears what long vector registers (SVE) have more than others: code that
 * makes one does not leave them alone, and the engine has to.
 */
#define KT_CALLS_SPARE_VECTORS 0

static inline long kt_syscall(long number, long a, long b, long c, long d)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;

	__asm__ volatile("svc #0" : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return x0;
}

#define KT_PT_IP pc
#define KT_PT_BP regs[29]
#define KT_PT_LINK regs[30]
/* A saved return address may be signed. */
#define KT_RETURN_BITS ((1ull << 48) - 1)
#define KT_GETCPU 168

/* In the frame of a signal, as its handler leaves it: siginfo_t, then ucontext_t. */
#define KT_SIGNAL_X(n) (312 + (n) * 8)
#define KT_SIGNAL_BP KT_SIGNAL_X(29)
#define KT_SIGNAL_LINK KT_SIGNAL_X(30)
#define KT_SIGNAL_SP KT_SIGNAL_X(31)
#define KT_SIGNAL_IP KT_SIGNAL_X(32)

#endif
