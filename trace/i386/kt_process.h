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

/* Which segment's limit would say it, kernels do not agree on: they are asked (getcpu). */
static inline u32 kt_processor(void)
{
	u32 cpu = 0;

	kt_syscall(318, (long)&cpu, 0, 0, 0);
	return cpu & 0xfff;
}

static inline u64 kt_regs_ip(const struct pt_regs *regs)
{
	return regs->ip;
}

static inline u64 kt_regs_bp(const struct pt_regs *regs)
{
	return regs->bp;
}

/* The return address, where a function has not saved it: there is no such function. */
static inline u64 kt_regs_link(const struct pt_regs *regs)
{
	(void)regs;
	return 0;
}

/* A word that was saved as a return address. */
static inline u64 kt_return_address(u64 word)
{
	return word;
}

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
