/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kt_process.h - what a trace module in a process has of its own on riscv64.
 *
 * Owns: system calls without the C library, on which processor a thread runs, and where
 * its registers are when its stack is walked.  Trap path.
 */
#ifndef KT_PROCESS_ARCH_H
#define KT_PROCESS_ARCH_H

#include <kprobes/pt_regs.h>
#include <linux/types.h>

/*
 * A system call clears vector registers (V): code that makes one does not leave them
 * alone, and the engine has to.
 */
#define KT_CALLS_SPARE_VECTORS 0

static inline long kt_syscall(long number, long a, long b, long c, long d)
{
	register long a7 __asm__("a7") = number;
	register long a0 __asm__("a0") = a;
	register long a1 __asm__("a1") = b;
	register long a2 __asm__("a2") = c;
	register long a3 __asm__("a3") = d;

	__asm__ volatile("ecall" : "+r"(a0)
			 : "r"(a7), "r"(a1), "r"(a2), "r"(a3) : "memory");
	return a0;
}

#define KT_PT_IP epc
#define KT_PT_BP s0
#define KT_PT_LINK ra
#define KT_GETCPU 168

/* In the frame of a signal, as its handler leaves it: siginfo_t, then ucontext_t. */
#define KT_SIGNAL_X(n) (304 + (n) * 8)
#define KT_SIGNAL_IP KT_SIGNAL_X(0)
#define KT_SIGNAL_LINK KT_SIGNAL_X(1)
#define KT_SIGNAL_SP KT_SIGNAL_X(2)
#define KT_SIGNAL_BP KT_SIGNAL_X(8)

#endif
