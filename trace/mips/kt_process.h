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

/* No instruction says it: the kernel does (getcpu). */
static inline u32 kt_processor(void)
{
	u32 cpu = 0;

	kt_syscall(KT_GETCPU, (long)&cpu, 0, 0, 0);
	return cpu & 0xfff;
}

static inline void kt_yield(void)
{
	kt_syscall(KT_YIELD, 0, 0, 0, 0);
}

static inline u64 kt_regs_ip(const struct pt_regs *regs)
{
	return regs->cp0_epc;
}

static inline u64 kt_regs_bp(const struct pt_regs *regs)
{
	return regs->regs[30];
}

/* The return address, where a function has not saved it. */
static inline u64 kt_regs_link(const struct pt_regs *regs)
{
	return regs->regs[31];
}

/* A word that was saved as a return address is one. */
static inline u64 kt_return_address(u64 word)
{
	return word;
}

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
