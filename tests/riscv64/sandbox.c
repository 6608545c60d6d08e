/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sandbox.c - executing riscv64 instructions with given registers.
 *
 * Owns: what sandbox.h says.  The signal handler runs with whatever gp and tp a test has
 * given: it uses no variable of the thread's, and the program is linked without gp.
 */
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "random.h"
#include "sandbox.h"

#define BREAKPOINT 0x9002	/* c.ebreak */

uint8_t *area;
struct state given, got;
int stopped_by;

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

#define SANDBOX_PC(uc) ((uc)->uc_mcontext.__gregs[REG_PC])
#include "../shared/sandbox_signals.h"

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
	return sandbox_same(a, b, sizeof(*a), ~0u);
}

bool sandbox_start(void)
{
	size_t i;

	area = mmap(NULL, AREA, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
	if (area == MAP_FAILED || !sandbox_signals())
		return false;
	for (i = 0; i < AREA; i += 4)
		take_insn(i);
	return true;
}
