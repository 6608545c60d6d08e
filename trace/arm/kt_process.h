/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kt_process.h - what a trace module in a process has of its own on arm.
 *
 * Owns: system calls without the C library, on which processor a thread runs, and where
 * its registers are when its stack is walked.  Trap path.
 */
#ifndef KT_PROCESS_ARCH_H
#define KT_PROCESS_ARCH_H

#include <kprobes/pt_regs.h>
#include <linux/types.h>

/* There is nobody who looks whether code leaves vector registers alone: the engine keeps them. */
#define KT_CALLS_SPARE_VECTORS 0

/*
 * A number that is known when this is compiled stands right before the call: who watches system
 * calls while pages are protected finds it there, and a call that it cannot make out is a refusal.
 */
static inline __attribute__((always_inline)) long kt_syscall(long number, long a, long b, long c, long d)
{
	register long r0 __asm__("r0") = a;
	register long r1 __asm__("r1") = b;
	register long r2 __asm__("r2") = c;
	register long r3 __asm__("r3") = d;

	__asm__ volatile("movw r7, %[number]; svc #0" : "+r"(r0)
			 : [number] "i"(number), "r"(r1), "r"(r2), "r"(r3) : "r7", "memory");
	return r0;
}

/* No instruction says it: the kernel does (getcpu). */
static inline u32 kt_processor(void)
{
	u32 cpu = 0;

	kt_syscall(345, (long)&cpu, 0, 0, 0);
	return cpu & 0xfff;
}

static inline u64 kt_regs_ip(const struct pt_regs *regs)
{
	return regs->ARM_pc;
}

static inline u64 kt_regs_bp(const struct pt_regs *regs)
{
	return regs->uregs[7];
}

/* The return address, where a function has not saved it. */
static inline u64 kt_regs_link(const struct pt_regs *regs)
{
	return regs->ARM_lr;
}

/* A word that was saved as a return address: bit 0 says Thumb. */
static inline u64 kt_return_address(u64 word)
{
	return word & ~1ull;
}

/* In the frame of a signal, as its handler leaves it: siginfo_t, then ucontext_t. */
#define KT_SIGNAL_R(n) (128 + 32 + (n) * 4)
#define KT_SIGNAL_BP KT_SIGNAL_R(7)
#define KT_SIGNAL_SP KT_SIGNAL_R(13)
#define KT_SIGNAL_LINK KT_SIGNAL_R(14)
#define KT_SIGNAL_IP KT_SIGNAL_R(15)

#endif
