/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sandbox_signals.h - executing instructions with given registers, by signals.
 *
 * Owns: the way in, by a breakpoint of run()'s, and the way out, by any signal.  sandbox.c of
 * a port includes it, having said where the PC is in a signal's frame (SANDBOX_PC) and how
 * registers are put in and taken out (put_in, take_out), and perhaps which signals end
 * nothing (SANDBOX_GOES_ON).
 */
#ifndef KP_TEST_SANDBOX_SIGNALS_H
#define KP_TEST_SANDBOX_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#define SANDBOX_STACK_LEN (1u << 16)

#ifndef SANDBOX_GOES_ON
#define SANDBOX_GOES_ON(sig, uc) false
#endif

static ucontext_t caller;
static bool running;

/* It runs with whatever registers a test has given: it uses no variable of the thread's. */
static void on_signal(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)info;
	if (!running) {
		if (sig != SIGTRAP)
			_Exit(2);
		caller = *uc;
		SANDBOX_PC(&caller) += 4;
		put_in(uc, &given);
	} else if (SANDBOX_GOES_ON(sig, uc)) {
		return;
	} else {
		stopped_by = sig;
		take_out(uc, &got);
		*uc = caller;
	}
	running = !running;
}

static bool sandbox_signals(void)
{
	stack_t alternate = { .ss_size = SANDBOX_STACK_LEN };
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	const int signals[] = { SIGTRAP, SIGILL, SIGSEGV, SIGBUS, SIGFPE };
	size_t i;

	/*
	 * Where no small number in the stack pointer is taken for being there already.  A
	 * ucontext_t is longer than what qemu puts at its top.
	 */
	alternate.ss_sp = mmap(NULL, SANDBOX_STACK_LEN + sizeof(ucontext_t), PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (alternate.ss_sp == MAP_FAILED || sigaltstack(&alternate, NULL))
		return false;
	sigfillset(&action.sa_mask);
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &action, NULL);
	return true;
}

/* Are the words the same, but for bits of the last one?  Else it is printed where they differ. */
static bool sandbox_same(const void *a, const void *b, size_t len, uint32_t last)
{
	const uint32_t *x = a, *y = b;
	size_t i;

	for (i = 0; i < len / 4; i++) {
		if ((x[i] ^ y[i]) & (i == len / 4 - 1 ? last : ~0u)) {
			printf("# word %zu of the state: %#x and %#x\n", i, x[i], y[i]);
			return false;
		}
	}
	return true;
}

#endif
