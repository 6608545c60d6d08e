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

#define KT_PT_IP ARM_pc
#define KT_PT_BP uregs[7]
#define KT_PT_LINK ARM_lr
/* Bit 0 of a return address says Thumb. */
#define KT_RETURN_BITS ~1ull
#define KT_GETCPU 345

/* In the frame of a signal, as its handler leaves it: siginfo_t, then ucontext_t. */
#define KT_SIGNAL_R(n) (128 + 32 + (n) * 4)
#define KT_SIGNAL_BP KT_SIGNAL_R(7)
#define KT_SIGNAL_SP KT_SIGNAL_R(13)
#define KT_SIGNAL_LINK KT_SIGNAL_R(14)
#define KT_SIGNAL_IP KT_SIGNAL_R(15)

#endif
