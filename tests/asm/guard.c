/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * guard.c - guarded calls, run for real.
 *
 * Owns: the evidence that an abandoned call leaves its caller's registers,
 * stack and flags as the calling convention wants them.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#include "probe.h"
#include "upcall.h"

static struct kp_arch_guard guard;
static bool failed;

static void check(const char *name, bool good)
{
	printf("%s asm.guard.%s\n", good ? "ok" : "not ok", name);
	failed |= !good;
}

static void on_fault(int sig, siginfo_t *info, void *arg)
{
	greg_t *g = ((ucontext_t *)arg)->uc_mcontext.gregs;
	struct pt_regs regs = { .ip = (unsigned long)g[REG_RIP],
				.sp = (unsigned long)g[REG_RSP],
				.flags = (unsigned long)g[REG_EFL] };

	(void)sig;
	(void)info;
	kp_arch_guard_abort(&guard, &regs);
	g[REG_RIP] = (greg_t)regs.ip;
	g[REG_RSP] = (greg_t)regs.sp;
	g[REG_RDI] = (greg_t)regs.di;
	g[REG_EFL] = (greg_t)regs.flags;
}

static uintptr_t stack_seen;

static long add(void *a, void *b, unsigned long c)
{
	stack_seen = (uintptr_t)__builtin_frame_address(0);
	return *(int *)a + *(int *)b + (long)c;
}

/* Loses everything: callee-saved registers, DF, its own return address. */
static long crash(void *a, void *b, unsigned long c)
{
	(void)a;
	(void)b;
	(void)c;
	__asm__ volatile("sub $4096, %%rsp\n\t"
			 "xor %%ebx, %%ebx\n\t"
			 "xor %%r12d, %%r12d\n\t"
			 "mov $-1, %%r13\n\t"
			 "mov $-1, %%r14\n\t"
			 "mov $-1, %%r15\n\t"
			 "mov $-1, %%rbp\n\t"
			 "std\n\t"
			 "movl $0, 0" ::: "memory");
	return 1;
}

/* What kp_arch_guard_pre calls. */
static bool pre_crashes;

long kp_core_on_pre(struct kp_context *ctx, struct kp_child *child,
		    struct pt_regs *regs)
{
	(void)ctx;
	(void)child;
	return pre_crashes ? crash(regs, regs, 0) : 9;
}

/* Call crash within a guard, from a stack misaligned by 8; report what was kept. */
static unsigned int call_crash(const void *how, long *result)
{
	register const void *by __asm__("r8") = how;
	unsigned long lost;

	__asm__ volatile(
		"push %%rbp\n\t"
		"mov %%rsp, %%r15\n\t"
		"mov $0x1111, %%ebx\n\t"
		"mov $0x2222, %%ebp\n\t"
		"mov $0x3333, %%r12d\n\t"
		"mov $0x4444, %%r13d\n\t"
		"mov $0x5555, %%r14d\n\t"
		"sub $136, %%rsp\n\t"
		"call *%%r8\n\t"
		"add $136, %%rsp\n\t"
		"xor %%ecx, %%ecx\n\t"
		"cmp %%rsp, %%r15\n\t"
		"setne %%cl\n\t"
		"xor $0x1111, %%rbx\n\t"
		"or %%rbx, %%rcx\n\t"
		"xor $0x2222, %%rbp\n\t"
		"or %%rbp, %%rcx\n\t"
		"xor $0x3333, %%r12\n\t"
		"or %%r12, %%rcx\n\t"
		"xor $0x4444, %%r13\n\t"
		"or %%r13, %%rcx\n\t"
		"xor $0x5555, %%r14\n\t"
		"or %%r14, %%rcx\n\t"
		"pushf\n\t"
		"pop %%rdx\n\t"
		"and $0x400, %%edx\n\t"
		"or %%rdx, %%rcx\n\t"
		"mov %%r15, %%rsp\n\t"
		"pop %%rbp\n\t"
		: "=c"(lost), "=&a"(*result), "+r"(by)
		: "D"(&guard), "S"(crash), "0"(&guard)
		: "rdx", "r9", "r10", "r11", "rbx", "r12", "r13", "r14",
		  "r15", "memory", "cc");
	return (unsigned int)lost;
}

int main(void)
{
	struct sigaction act = { .sa_sigaction = on_fault,
				 .sa_flags = SA_SIGINFO };
	int one = 1, two = 2;
	long result;
	int i;

	sigaction(SIGSEGV, &act, NULL);
	result = kp_arch_guard_call(&guard, (void *)add, &one, &two, 4);
	check("completes", result == 7 && !kp_arch_guard_aborted(&guard));
	check("aligns_the_stack", stack_seen % 16 == 0);
	for (i = 0; i < 3; i++) {
		bool kept = !call_crash((void *)kp_arch_guard_call, &result);

		check("abandoned", kept && !result &&
					   kp_arch_guard_aborted(&guard));
		pre_crashes = true;
		kept = !call_crash((void *)kp_arch_guard_pre, &result);
		check("pre_abandoned", kept && !result &&
					       kp_arch_guard_aborted(&guard));
		pre_crashes = false;
		result = kp_arch_guard_pre(NULL, NULL, NULL, &guard);
		check("pre_completes",
		      result == 9 && !kp_arch_guard_aborted(&guard));
	}
	result = kp_arch_guard_call(&guard, (void *)add, &one, &two, 5);
	check("completes_again",
	      result == 8 && !kp_arch_guard_aborted(&guard));
	return failed;
}
