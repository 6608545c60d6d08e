/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * user_breakpoint.c - a program with breakpoints of its own (K-HIT-27).
 *
 * Owns: proof that each of them, of the number that the engine uses in a kernel, arrives
 * as one SIGTRAP: exit status 0.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <ucontext.h>

#ifdef __aarch64__
#define BREAK() __asm__ volatile("brk #0x6b70")
#define PASS(context) ((context)->uc_mcontext.pc += 4)
#elif defined(__arm__)
/* The engine's is of A32. */
__attribute__((target("arm"), noinline)) static void stop(void)
{
	__asm__ volatile("udf #0x10");
}
#define BREAK() stop()
#define PASS(context) ((context)->uc_mcontext.arm_pc += 4)
#elif defined(__riscv)
#define BREAK() __asm__ volatile("c.ebreak")
#define PASS(context) ((context)->uc_mcontext.__gregs[REG_PC] += 2)
#elif defined(__mips__)
#define BREAK() __asm__ volatile("break")
#define PASS(context) ((context)->uc_mcontext.pc += 4)
#else
#define BREAK() __asm__ volatile("int3")
#define PASS(context) ((void)(context))
#endif

static volatile sig_atomic_t traps;

static void on_trap(int number, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)number, (void)info;
	PASS(uc);
	traps++;
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };
	int i;

	sigaction(SIGTRAP, &action, NULL);
	for (i = 0; i < 1000; i++)
		BREAK();
	return traps != 1000;
}
