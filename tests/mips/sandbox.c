/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sandbox.c - executing MIPS instructions with given registers.
 *
 * Owns: what sandbox.h says.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "random.h"
#include "sandbox.h"

#define BREAKPOINT 0x0000000du
#define CONDITIONS 0xfe800000u	/* of fcsr: what bc1t and the like look at */
/* In different parts of 256 MB. */
#define AREA_AT 0x51000000ul
#define FAR_AT 0x62000000ul

uint8_t *area, *far_area;
struct state given, got;
int stopped_by;

static void put_in(ucontext_t *uc, const struct state *state)
{
	mcontext_t *m = &uc->uc_mcontext;
	size_t i;

	for (i = 0; i < 32; i++)
		m->gregs[i] = (unsigned long long)(long)state->regs.regs[i];
	m->mdhi = (unsigned long long)(long)state->regs.hi;
	m->mdlo = (unsigned long long)(long)state->regs.lo;
	m->pc = state->regs.cp0_epc;
	m->fpc_csr = (unsigned int)state->fcsr;
	memcpy(&m->fpregs, state->floats, sizeof(state->floats));
}

static void take_out(ucontext_t *uc, struct state *state)
{
	mcontext_t *m = &uc->uc_mcontext;
	size_t i;

	memset(state, 0, sizeof(*state));
	for (i = 0; i < 32; i++)
		state->regs.regs[i] = (unsigned long)m->gregs[i];
	state->regs.hi = (unsigned long)m->mdhi;
	state->regs.lo = (unsigned long)m->mdlo;
	state->regs.cp0_epc = (unsigned long)m->pc;
	state->fcsr = m->fpc_csr;
	memcpy(state->floats, &m->fpregs, sizeof(state->floats));
}

#define SANDBOX_PC(uc) ((uc)->uc_mcontext.pc)
#include "../shared/sandbox_signals.h"

void run(void)
{
	asm volatile("break" ::: "memory");
}

void put_word(uint8_t *at, uint32_t word)
{
	memcpy(at, &word, sizeof(word));
	__builtin___clear_cache((char *)at, (char *)at + sizeof(word));
}

void take_word(uint8_t *at)
{
	put_word(at, BREAKPOINT);
}

void randomize(struct state *state, uint64_t *random)
{
	size_t i;

	memset(state, 0, sizeof(*state));
	for (i = 1; i < 32; i++)
		state->regs.regs[i] = (unsigned long)(next_random(random) >> (next_random(random) % 65 & 63));
	/* The kernel's. */
	state->regs.regs[26] = state->regs.regs[27] = 0;
	state->regs.hi = (unsigned long)next_random(random);
	state->regs.lo = (unsigned long)next_random(random);
	state->fcsr = next_random(random) & CONDITIONS;
	for (i = 0; i < 32; i++)
		state->floats[i] = next_random(random);
	state->regs.regs[next_random(random) % 32] = 0;
}

bool same(const struct state *a, const struct state *b)
{
	return sandbox_same(a, b, sizeof(*a), ~0u);
}

static uint8_t *map_breakpoints(unsigned long at)
{
	uint8_t *map = mmap((void *)at, AREA, PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	size_t i;

	if (map == MAP_FAILED)
		exit(2);
	for (i = 0; i < AREA; i += 4)
		memcpy(map + i, &(uint32_t) { BREAKPOINT }, 4);
	return map;
}

bool sandbox_start(void)
{
	if (!sandbox_signals())
		return false;
	area = map_breakpoints(AREA_AT);
	far_area = map_breakpoints(FAR_AT);
	return true;
}
