/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * calls.c - guarded calls, jprobes' and those that keep floating point, executed for real.
 *
 * Owns: what they are called with and return; and being abandoned in a fault, after which
 * the registers that a function keeps are what they were.
 *
 * A riscv64 program (run by qemu).
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#include "arch.h"
#include "jprobe.h"

bool guard_keeps(struct kp_arch_guard *guard, void *fn);
long spoil_and_fault(void *a, void *b, unsigned long c);
bool keeping_keeps(void);
long kp_core_on_pre(struct kp_context *ctx, struct kp_child *child, struct pt_regs *regs);

/* No vectors (frame.c). */
extern uint32_t kp_arch_vectors_long;
uint32_t kp_arch_vectors_long;

static struct kp_arch_guard guard;
static int failed;

static void say(const char *name, bool ok)
{
	printf("%sok rv64-calls-%s\n", ok ? "" : "not ", name);
	failed |= !ok;
}

/* Each fault is that of a handler. */
static void on_fault(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	struct pt_regs regs;

	(void)sig;
	(void)info;
	memcpy(&regs, uc->uc_mcontext.__gregs, sizeof(uc->uc_mcontext.__gregs));
	kp_arch_guard_abort(&guard, &regs);
	memcpy(uc->uc_mcontext.__gregs, &regs, sizeof(uc->uc_mcontext.__gregs));
}

static long sum(void *a, void *b, unsigned long c)
{
	return (long)a * 100 + (long)b * 10 + (long)c;
}

static long nothing(void *a, void *b, unsigned long c)
{
	(void)a;
	(void)b;
	(void)c;
	return 7;
}

/* guard_pre's: three pointers, which it hands on. */
long kp_core_on_pre(struct kp_context *ctx, struct kp_child *child, struct pt_regs *regs)
{
	if (regs)
		return sum(ctx, child, (unsigned long)regs);
	return *(volatile long *)0;
}

/* ---- jprobes --------------------------------------------------------------------------- */

static struct kp_arch_jprobe jprobe;
static unsigned long stack[32];
static size_t stack_len = sizeof(stack);
static bool seen;

static int read_stack(uintptr_t addr, void *dst, size_t len)
{
	if (addr + len > (uintptr_t)stack + stack_len)
		return -EFAULT;
	memcpy(dst, (const void *)addr, len);
	return 0;
}

/* As the probed function has it: the ninth and tenth stand on the stack. */
static void entry(long a, double x, long b, long c, long d, long e, long f, long g, long h,
		  long i, char j)
{
	seen = x == 2.5 && a == 100 && b == 101 && c == 102 && d == 103 && e == 104 &&
	       f == 105 && g == 106 && h == 107 && i == 0x1111 && j == 'j';
	if (seen)
		kp_arch_jprobe_leave(&jprobe);
}

static bool jprobed(void)
{
	static const struct kp_arch_mem mem = { .read = read_stack };
	double floats[32] = { [10] = 2.5 };
	struct kp_arch_vectors image = { .image = floats };
	struct pt_regs regs = { .sp = (uintptr_t)stack };
	unsigned int i;

	for (i = 0; i < 8; i++)
		(&regs.a0)[i] = 100 + i;
	stack[0] = 0x1111;
	stack[1] = 'j';
	kp_arch_jprobe_take(&jprobe, &regs, &image, &mem);
	kp_arch_jprobe_call(&jprobe, (void *)entry);
	if (!seen || !kp_arch_jprobe_left(&jprobe))
		return false;
	/* The stack ends, and what is beyond is zero: the handler returns. */
	stack_len = 8;
	kp_arch_jprobe_take(&jprobe, &regs, &image, &mem);
	kp_arch_jprobe_call(&jprobe, (void *)entry);
	return !seen && !kp_arch_jprobe_left(&jprobe) && jprobe.stack[8] == 0;
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	long result;

	sigaction(SIGSEGV, &action, NULL);
	memset(&guard, 0xee, sizeof(guard));
	result = kp_arch_guard_call(&guard, (void *)sum, (void *)1, (void *)2, 3);
	say("call", result == 123 && !kp_arch_guard_aborted(&guard));
	say("kept", guard_keeps(&guard, (void *)nothing) && !kp_arch_guard_aborted(&guard));
	say("abandoned", guard_keeps(&guard, (void *)spoil_and_fault) &&
			 kp_arch_guard_aborted(&guard));
	result = kp_arch_guard_call(&guard, (void *)spoil_and_fault, NULL, NULL, 0);
	say("abandoned-result", result == 0 && kp_arch_guard_aborted(&guard));
	result = kp_arch_guard_pre((void *)4, (void *)5, (void *)6, &guard);
	say("pre", result == 456 && !kp_arch_guard_aborted(&guard));
	result = kp_arch_guard_pre((void *)4, (void *)5, NULL, &guard);
	say("pre-abandoned", result == 0 && kp_arch_guard_aborted(&guard));
	say("keeping", keeping_keeps());
	say("jprobe", jprobed());
	return failed;
}
