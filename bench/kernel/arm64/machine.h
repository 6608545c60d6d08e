/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * machine.h - what kp_bench.c has to know of arm64.
 *
 * Owns: the functions that are probed, and the counter: the performance monitor's of
 * cycles, which the kernel leaves off while nobody profiles.  The one that tells the
 * time is too coarse to count instructions by.
 */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include <asm/sysreg.h>

#define COUNTING	(1ul << 0)	/* PMCR_EL0.E */
#define LONG_CYCLES	(1ul << 6)	/* PMCR_EL0.LC */
#define CYCLES		(1ul << 31)	/* PMCNTENSET_EL0.C */

static inline void bench_count_start(void)
{
	write_sysreg(0, pmccfiltr_el0);
	write_sysreg(CYCLES, pmcntenset_el0);
	write_sysreg(read_sysreg(pmcr_el0) | COUNTING | LONG_CYCLES, pmcr_el0);
	isb();
}

static inline u64 bench_count(void)
{
	u64 count;

	isb();
	count = read_sysreg(pmccntr_el0);
	isb();
	return count;
}

static inline unsigned long bench_argument(const struct pt_regs *regs)
{
	return regs->regs[0];
}

#define BENCH_FUNCTION(name) ".type " name ", %function\n" name ":\n"

/* long bench_target(long): instructions that are copied; a conditional branch; a call. */
asm(".pushsection .text\n.balign 4\n.globl bench_target\n"
    BENCH_FUNCTION("bench_target")
    "	add x0, x0, #0x123\n"
    "	cmp x0, #0\n"
    "	b.eq 1f\n"
    "1:	stp x29, x30, [sp, #-16]!\n"
    "	bl bench_callee\n"
    "	ldp x29, x30, [sp], #16\n"
    "	ret\n"
    ".size bench_target, . - bench_target\n"
    BENCH_FUNCTION("bench_callee")
    "	ret\n"
    ".size bench_callee, . - bench_callee\n.popsection\n");
/* No labels: each would be a symbol, where a function ends. */
#define bench_short ((kprobe_opcode_t *)((char *)bench_target + 4))
#define bench_jump ((kprobe_opcode_t *)((char *)bench_target + 8))
#define bench_call ((kprobe_opcode_t *)((char *)bench_target + 16))

/* One of many, in 16 bytes. */
#define BENCH_SITE							\
	"	add x0, x0, #0x123\n"					\
	"	ret\n"							\
	"	.balign 16\n"

/* A function's entry is like any other text. */
#define BENCH_TRACER_SITES 0

#endif
