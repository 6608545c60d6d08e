/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kt_process.h - what a trace module in a process has of its own on x86-64.
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
	register long r10 __asm__("r10") = d;
	long ret;

	__asm__ volatile("syscall" : "=a"(ret)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return ret;
}

/* The limit of a segment that is there for that says it in its lower 12 bits. */
static inline u32 kt_processor(void)
{
	u32 cpu = 0;

	__asm__("lsl %1, %0" : "+r"(cpu) : "r"(0x7b) : "cc");
	return cpu & 0xfff;
}

#define KT_PT_IP ip
#define KT_PT_BP bp

/* In the frame of a signal, as its handler leaves it: struct ucontext's registers, from
 * sp on. */
#define KT_SIGNAL_BP (40 + 10 * 8)
#define KT_SIGNAL_SP (40 + 15 * 8)
#define KT_SIGNAL_IP (40 + 16 * 8)
#define KT_SIGNAL_LINK KT_SIGNAL_IP	/* none */

#endif
