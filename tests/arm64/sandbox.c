/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sandbox.c - executing arm64 instructions with given registers.
 *
 * Owns: what sandbox.h says.
 */
#include <signal.h>
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

#define SANDBOX_PC(uc) ((uc)->uc_mcontext.pc)
#define SANDBOX_GOES_ON(sig, uc) ((sig) == SIGTRAP && goes_on(uc))
#include "../shared/sandbox_signals.h"

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
	return sandbox_same(a, b, sizeof(*a), ~0u);
}

bool sandbox_start(void)
{
	/* A branch reaches the program's own text from there. */
	area = mmap((void *)NEAR, AREA, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (area == MAP_FAILED || !sandbox_signals())
		return false;
	fill();
	return true;
}
