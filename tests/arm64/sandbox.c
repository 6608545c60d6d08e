/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sandbox.c - executing arm64 instructions with given registers.
 *
 * Owns: what sandbox.h says.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "random.h"
#include "sandbox.h"

#define NEAR 0x5000000ul
#define FLAGS_MASK (0xFull << 28 | KP_A64_PSTATE_BTYPE)

uint32_t *area;
struct state given, got;
int stopped_by;
bool (*on_trap)(struct kp_a64_regs *regs);
static ucontext_t caller;
static bool running;

static struct fpsimd_context *vectors_of(ucontext_t *uc)
{
	return (void *)uc->uc_mcontext.__reserved;	/* the first record there */
}

static void put_in(ucontext_t *uc, const struct state *state)
{
	memcpy(uc->uc_mcontext.regs, state->regs.regs, sizeof(state->regs.regs));
	uc->uc_mcontext.sp = state->regs.sp;
	uc->uc_mcontext.pc = state->regs.pc;
	uc->uc_mcontext.pstate = (uc->uc_mcontext.pstate & ~FLAGS_MASK) | state->regs.pstate;
	memcpy(vectors_of(uc)->vregs, state->vectors, sizeof(state->vectors));
	/* Scalable vectors follow, and would win. */
	memset(vectors_of(uc) + 1, 0, sizeof(struct _aarch64_ctx));
}

static void take_out(ucontext_t *uc, struct state *state)
{
	memcpy(state->regs.regs, uc->uc_mcontext.regs, sizeof(state->regs.regs));
	state->regs.sp = uc->uc_mcontext.sp;
	state->regs.pc = uc->uc_mcontext.pc;
	state->regs.pstate = uc->uc_mcontext.pstate & FLAGS_MASK;
	memcpy(state->vectors, vectors_of(uc)->vregs, sizeof(state->vectors));
}

/* The kernel's frame has the registers as Linux names them. */
static bool goes_on(ucontext_t *uc)
{
	struct kp_a64_regs regs;
	bool on;

	memcpy(&regs, uc->uc_mcontext.regs, sizeof(regs));
	on = on_trap && on_trap(&regs);
	memcpy(uc->uc_mcontext.regs, &regs, sizeof(regs));
	return on;
}

static void on_signal(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)info;
	if (!running) {
		if (sig != SIGTRAP)
			_Exit(2);
		caller = *uc;
		caller.uc_mcontext.pc += 4;
		put_in(uc, &given);
	} else if (sig == SIGTRAP && goes_on(uc)) {
		return;
	} else {
		stopped_by = sig;
		take_out(uc, &got);
		*uc = caller;
	}
	running = !running;
}

void run(void)
{
	asm volatile("brk #1" ::: "memory");
}

void set_word(size_t at, uint32_t word)
{
	area[at / 4] = word;
	__builtin___clear_cache((char *)area + at, (char *)area + at + 4);
}

uint32_t breakpoint(size_t at)
{
	return 0xD4200000 | (uint32_t)at * 0x9E3779B1u >> 16 << 5;
}

static void fill(void)
{
	size_t at;

	for (at = 0; at < AREA; at += 4)
		area[at / 4] = breakpoint(at);
	__builtin___clear_cache((char *)area, (char *)area + AREA);
}

void randomize(struct state *state, uint64_t *random)
{
	size_t i;

	for (i = 0; i < 31; i++)
		state->regs.regs[i] = next_random(random) >> (next_random(random) % 65 & 63);
	for (i = 0; i < 32; i++)
		state->vectors[i] = (__uint128_t)next_random(random) << 64 | next_random(random);
	if (next_random(random) & 1)
		state->regs.regs[next_random(random) % 31] = next_random(random) << 32;	/* w is zero */
	state->regs.sp = next_random(random);
	state->regs.pstate = next_random(random) & 0xFull << 28;
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
	static char stack[1 << 16];
	const stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	const int signals[] = { SIGTRAP, SIGILL, SIGSEGV, SIGBUS };
	size_t i;

	/* A branch reaches the program's own text from there. */
	area = mmap((void *)NEAR, AREA, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (area == MAP_FAILED || sigaltstack(&alternate, NULL))
		return false;
	sigfillset(&action.sa_mask);
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &action, NULL);
	fill();
	return true;
}
