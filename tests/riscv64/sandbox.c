/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sandbox.c - executing riscv64 instructions with given registers.
 *
 * Owns: what sandbox.h says.  The signal handler runs with whatever gp and tp a test has
 * given: it uses no variable of the thread's, and the program is linked without gp.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "random.h"
#include "sandbox.h"

#define STACK_LEN (1u << 16)
#define BREAKPOINT 0x9002	/* c.ebreak */

uint8_t *area;
struct state given, got;
int stopped_by;
static ucontext_t caller;
static bool running;

_Static_assert(sizeof(struct kp_rv_regs) == sizeof(__riscv_mc_gp_state), "as in a signal's frame");

static void put_in(ucontext_t *uc, const struct state *state)
{
	memcpy(uc->uc_mcontext.__gregs, &state->regs, sizeof(state->regs));
	memcpy(uc->uc_mcontext.__fpregs.__d.__f, state->floats, sizeof(state->floats));
}

static void take_out(ucontext_t *uc, struct state *state)
{
	memcpy(&state->regs, uc->uc_mcontext.__gregs, sizeof(state->regs));
	memcpy(state->floats, uc->uc_mcontext.__fpregs.__d.__f, sizeof(state->floats));
}

static void on_signal(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)info;
	if (!running) {
		if (sig != SIGTRAP)
			_Exit(2);
		caller = *uc;
		caller.uc_mcontext.__gregs[REG_PC] += 4;
		put_in(uc, &given);
	} else {
		stopped_by = sig;
		take_out(uc, &got);
		*uc = caller;
	}
	running = !running;
}

void run(void)
{
	asm volatile(".option push\n\t.option norvc\n\tebreak\n\t.option pop" ::: "memory");
}

static void put(size_t at, uint32_t word, size_t len)
{
	memcpy(area + at, &word, len);
	__builtin___clear_cache((char *)area + at, (char *)area + at + len);
}

void put_insn(size_t at, uint32_t word)
{
	put(at, word, kp_rv_length((uint16_t)word));
}

void take_insn(size_t at)
{
	put(at, BREAKPOINT << 16 | BREAKPOINT, 4);
}

void randomize(struct state *state, uint64_t *random)
{
	size_t i;

	for (i = 0; i < 31; i++)
		state->regs.x1[i] = next_random(random) >> (next_random(random) % 65 & 63);
	for (i = 0; i < 32; i++)
		state->floats[i] = next_random(random);
	state->regs.x1[next_random(random) % 31] = 0;
}

bool same(const struct state *a, const struct state *b)
{
	const uint64_t *x = (const void *)a, *y = (const void *)b;
	size_t i;

	for (i = 0; i < sizeof(*a) / 8; i++) {
		if (x[i] != y[i]) {
			printf("# word %zu of the state: %#llx and %#llx\n", i,
			       (unsigned long long)x[i], (unsigned long long)y[i]);
			return false;
		}
	}
	return true;
}

bool sandbox_start(void)
{
	stack_t alternate = { .ss_size = STACK_LEN };
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	const int signals[] = { SIGTRAP, SIGILL, SIGSEGV, SIGBUS };
	size_t i;

	area = mmap(NULL, AREA, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
	/*
	 * Where no small number in sp is taken for being there already.  A ucontext_t is
	 * longer than what qemu puts at its top.
	 */
	alternate.ss_sp = mmap(NULL, STACK_LEN + sizeof(ucontext_t), PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED || alternate.ss_sp == MAP_FAILED || sigaltstack(&alternate, NULL))
		return false;
	sigfillset(&action.sa_mask);
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &action, NULL);
	for (i = 0; i < AREA; i += 4)
		take_insn(i);
	return true;
}
