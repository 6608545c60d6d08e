/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * calls.c - guarded calls, jprobes' and those that keep floating point, executed for real.
 *
 * Owns: what they are called with and return; and being abandoned in a fault, after which
 * the registers that a function keeps are what they were.
 *
 * A riscv64 program (run by qemu).
 */

#define CALLS_NAME "rv64"
#include "calls.h"

/* No vectors (frame.c). */
extern uint32_t kp_arch_vectors_long;
uint32_t kp_arch_vectors_long;

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

/* ---- jprobes --------------------------------------------------------------------------- */

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
	double floats[32] = { [10] = 2.5 };
	struct kp_arch_vectors image = { .image = floats };
	struct pt_regs regs = { .sp = (uintptr_t)stack };
	unsigned int i;

	for (i = 0; i < 8; i++)
		(&regs.a0)[i] = 100 + i;
	stack[0] = 0x1111;
	stack[1] = 'j';
	return jprobe_takes(&regs, &image, (void *)entry, 0);
}

int main(void)
{
	say_guarded(on_fault);
	say("jprobe", jprobed());
	return failed;
}
