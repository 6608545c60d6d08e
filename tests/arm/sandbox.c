/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sandbox.c - executing Arm instructions with given registers.
 *
 * Owns: what sandbox.h says.
 */
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "random.h"
#include "sandbox.h"

/* In A32 no instruction; in T32 a breakpoint, whatever an IT block says, or half of none. */
#define TRAP 0xFFFFBE00u
#define BREAKPOINT 0xBE00u
#define BEHIND 6		/* bytes of breakpoints behind an instruction of T32 */
/* Of CPSR: flags, IT and T, which programs can change. */
#define SHOWN 0xFE00FC20u

uint8_t *area;
struct kp_arm_regs given, got;
uint64_t floats[32];
int stopped_by;

_Static_assert(sizeof(struct kp_arm_regs) == 17 * 4, "as in a signal's frame");

/* Of the records behind the registers that one: its name, its length, the registers. */
#define FLOATS 0x56465001ul

static void put_floats(ucontext_t *uc)
{
	unsigned long *at = uc->uc_regspace, *end = at + sizeof(uc->uc_regspace) / sizeof(*at);

	for (; at < end && at[1]; at += at[1] / sizeof(*at))
		if (at[0] == FLOATS) {
			memcpy(at + 2, floats, sizeof(floats));
			return;
		}
	_Exit(3);
}

static void put_in(ucontext_t *uc, struct kp_arm_regs *regs)
{
	regs->cpsr = (uc->uc_mcontext.arm_cpsr & ~SHOWN) | (regs->cpsr & SHOWN);
	memcpy(&uc->uc_mcontext.arm_r0, regs, sizeof(*regs));
	put_floats(uc);
}

static void take_out(ucontext_t *uc, struct kp_arm_regs *regs)
{
	memcpy(regs, &uc->uc_mcontext.arm_r0, sizeof(*regs));
}

#define SANDBOX_PC(uc) ((uc)->uc_mcontext.arm_pc)
#include "../shared/sandbox_signals.h"

void run(void)
{
	asm volatile(".inst 0xe7f001f0" ::: "memory");
}

static void put(size_t at, const void *bytes, size_t len)
{
	memcpy(area + at, bytes, len);
	__builtin___clear_cache((char *)area + at, (char *)area + at + len);
}

void put_insn(size_t at, const struct kp_arm_insn *insn)
{
	const uint16_t behind[BEHIND / 2] = { BREAKPOINT, BREAKPOINT, BREAKPOINT };
	const uint32_t trap = TRAP;
	uint32_t word = insn->word;

	if (insn->thumb && insn->len == 4)
		word = word << 16 | word >> 16;
	put(at, &word, insn->len);
	put(at + insn->len, insn->thumb ? (const void *)behind : &trap,
	    insn->thumb ? sizeof(behind) : sizeof(trap));
}

void take(size_t at, size_t len)
{
	size_t end = (at + len + 3) & ~(size_t)3;

	for (at &= ~(size_t)3; at < end; at += 4)
		*(uint32_t *)(area + at) = TRAP;
	__builtin___clear_cache((char *)area + end - len, (char *)area + end);
}

void randomize(struct kp_arm_regs *regs, uint64_t *random)
{
	size_t i;

	for (i = 0; i < 15; i++)
		regs->r[i] = (uint32_t)next_random(random) >> (next_random(random) % 33 & 31);
	regs->r[next_random(random) % 15] = 0;
	for (i = 0; i < 32; i++)
		floats[i] = next_random(random);
	regs->cpsr = (uint32_t)next_random(random) & 0xF8000000;
}

bool same(const struct kp_arm_regs *a, const struct kp_arm_regs *b)
{
	return sandbox_same(a, b, sizeof(*a), SHOWN);
}

bool sandbox_start(void)
{
	size_t i;

	area = mmap(NULL, AREA, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
	if (area == MAP_FAILED || !sandbox_signals())
		return false;
	for (i = 0; i < AREA; i += 4)
		((uint32_t *)area)[i / 4] = TRAP;
	return true;
}
