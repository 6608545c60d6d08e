/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kt_process.h - what a trace module in a process has of its own on MIPS.
 *
 * Owns: system calls without the C library, on which processor a thread runs, and where
 * its registers are when its stack is walked.  Trap path.
 */
#ifndef KT_PROCESS_ARCH_H
#define KT_PROCESS_ARCH_H

#include <kprobes/pt_regs.h>
#include <linux/types.h>

/* Numbers of system calls; and where the IP is in a signal's ucontext_t. */
#ifndef __mips64
#define KT_GETCPU 4312
#define KT_YIELD 4162
#define KT_SIGNAL_PC 32
#else
#define KT_GETCPU 5271
#define KT_YIELD 5023
#define KT_SIGNAL_PC (40 + 576)
#endif

/* Nothing looks whether code leaves the registers for floating point alone (arch/none/code.c). */
#define KT_CALLS_SPARE_VECTORS 0

static inline long kt_syscall(long number, long a, long b, long c, long d)
{
	register long v0 __asm__("$2") = number;
	register long a0 __asm__("$4") = a;
	register long a1 __asm__("$5") = b;
	register long a2 __asm__("$6") = c;
	register long a3 __asm__("$7") = d;

	__asm__ volatile("syscall"
			 : "+r"(v0), "+r"(a3)
			 : "r"(a0), "r"(a1), "r"(a2)
			 : "$1", "$3", "$8", "$9", "$10", "$11", "$12", "$13", "$14", "$15", "$24",
			   "$25", "hi", "lo", "memory");
	return a3 ? -v0 : v0;
}

static inline void kt_yield(void)
{
	kt_syscall(KT_YIELD, 0, 0, 0, 0);
}

#define KT_PT_IP cp0_epc
#define KT_PT_BP regs[30]
#define KT_PT_LINK regs[31]

/*
 * In the frame of a signal, as its handler leaves it: room for arguments, siginfo_t, then
 * ucontext_t.
 */
#define KT_SIGNAL_R(n) (24 + 128 + 40 + (n) * 8)
#define KT_SIGNAL_SP KT_SIGNAL_R(29)
#define KT_SIGNAL_BP KT_SIGNAL_R(30)
#define KT_SIGNAL_LINK KT_SIGNAL_R(31)
#define KT_SIGNAL_IP (24 + 128 + KT_SIGNAL_PC)

#endif
