/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kt_process.h - what a trace module in a process has of its own on i386.
 *
 * Owns: system calls without the C library, on which processor a thread runs, and where
 * its registers are when its stack is walked.  Trap path.
 */
#ifndef KT_PROCESS_ARCH_H
#define KT_PROCESS_ARCH_H

#include <kprobes/pt_regs.h>
#include <linux/types.h>

/* Code with system calls in it leaves all vector registers alone. */
#define KT_CALLS_SPARE_VECTORS 1

static inline long kt_syscall(long number, long a, long b, long c, long d)
{
	long ret;

	__asm__ volatile("int $0x80" : "=a"(ret)
			 : "0"(number), "b"(a), "c"(b), "d"(c), "S"(d)
			 : "memory");
	return ret;
}

#define KT_PT_IP ip
#define KT_PT_BP bp
#define KT_GETCPU 318

/*
 * In the frame of a signal, as its handler leaves it: the handler's arguments, a siginfo_t,
 * and in struct ucontext the registers, from sp on.
 */
#define KT_SIGNAL_REGS (12 + 128 + 20)
#define KT_SIGNAL_BP (KT_SIGNAL_REGS + 24)
#define KT_SIGNAL_SP (KT_SIGNAL_REGS + 28)
#define KT_SIGNAL_IP (KT_SIGNAL_REGS + 56)
#define KT_SIGNAL_LINK KT_SIGNAL_IP	/* none */

#endif
