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

/* No instruction says it: the kernel does (getcpu). */
static inline u32 kt_processor(void)
{
	u32 cpu = 0;

	kt_syscall(168, (long)&cpu, 0, 0, 0);
	return cpu & 0xfff;
}

static inline u64 kt_regs_ip(const struct pt_regs *regs)
{
	return regs->pc;
}

static inline u64 kt_regs_bp(const struct pt_regs *regs)
{
	return regs->regs[29];
}

/* The return address, where a function has not saved it. */
static inline u64 kt_regs_link(const struct pt_regs *regs)
{
	return regs->regs[30];
}

/* A word that was saved as a return address may be signed. */
static inline u64 kt_return_address(u64 word)
{
	return word & ((1ull << 48) - 1);
}

/* In the frame of a signal, as its handler leaves it: siginfo_t, then ucontext_t. */
#define KT_SIGNAL_X(n) (312 + (n) * 8)
#define KT_SIGNAL_BP KT_SIGNAL_X(29)
#define KT_SIGNAL_LINK KT_SIGNAL_X(30)
#define KT_SIGNAL_SP KT_SIGNAL_X(31)
#define KT_SIGNAL_IP KT_SIGNAL_X(32)

#endif
