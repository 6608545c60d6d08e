/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * calls.h - guarded calls and a jprobe's, as the tests of several ports make them.
 *
 * Owns: what they are called with and return; and being abandoned in a fault, after which
 * the registers that a function keeps are what they were (keeps.S).  calls.c of a port
 * includes it, having said what the port is called (CALLS_NAME).
 */
#ifndef KP_TEST_CALLS_H
#define KP_TEST_CALLS_H

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

static struct kp_arch_guard guard;
static volatile long *volatile nowhere;
static int failed;

static void say(const char *name, bool ok)
{
	printf("%sok %s-calls-%s\n", ok ? "" : "not ", CALLS_NAME, name);
	failed |= !ok;
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
	return *nowhere;
}

/* on_fault: each fault is that of a handler, which it abandons. */
static void say_guarded(void (*on_fault)(int sig, siginfo_t *info, void *context))
{
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	long result;

	setvbuf(stdout, NULL, _IOLBF, 0);
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
}

/* ---- jprobes --------------------------------------------------------------------------- */

static struct kp_arch_jprobe jprobe;
static unsigned long stack[32];
static size_t stack_len = sizeof(stack);
static bool seen;			/* entry has found what regs, image and stack have */

static int read_stack(uintptr_t addr, void *dst, size_t len)
{
	if (addr + len > (uintptr_t)stack + stack_len)
		return -EFAULT;
	memcpy(dst, (const void *)addr, len);
	return 0;
}

/* Then once more, with a stack that ends behind its word last: what is beyond is zero. */
static bool jprobe_takes(const struct pt_regs *regs, const struct kp_arch_vectors *image,
			 void *entry, size_t last)
{
	static const struct kp_arch_mem mem = { .read = read_stack };

	kp_arch_jprobe_take(&jprobe, regs, image, &mem);
	kp_arch_jprobe_call(&jprobe, entry);
	if (!seen || !kp_arch_jprobe_left(&jprobe))
		return false;
	stack_len = (last + 1) * sizeof(long);
	kp_arch_jprobe_take(&jprobe, regs, image, &mem);
	kp_arch_jprobe_call(&jprobe, entry);
	/* The handler has returned. */
	return !seen && !kp_arch_jprobe_left(&jprobe) && jprobe.stack[stack_len] == 0;
}

#endif
