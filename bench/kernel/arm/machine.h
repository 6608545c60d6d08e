/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * machine.h - what kp_bench.c has to know of arm.
 *
 * Owns: the functions that are probed, of A32, and the counter: the performance monitor's of
 * cycles, which the kernel leaves off while nobody profiles.  The one that tells the time is
 * too coarse to count instructions by.
 */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include <asm/barrier.h>

#define COUNTING	(1u << 0)	/* PMCR.E */
#define CYCLES		(1u << 31)	/* PMCNTENSET */

static inline void bench_count_start(void)
{
	u32 control;

	asm volatile("mcr p15, 0, %0, c14, c15, 7" : : "r"(0));	/* PMCCFILTR */
	asm volatile("mcr p15, 0, %0, c9, c12, 1" : : "r"(CYCLES));
	asm volatile("mrc p15, 0, %0, c9, c12, 0" : "=r"(control));
	asm volatile("mcr p15, 0, %0, c9, c12, 0" : : "r"(control | COUNTING));
	isb();
}

/* PMCCNTR has 32 bits here, and differences are all that counts. */
static inline u64 bench_count(void)
{
	u32 count;

	isb();
	asm volatile("mrc p15, 0, %0, c9, c13, 0" : "=r"(count));
	isb();
	return count;
}

static inline unsigned long bench_argument(const struct pt_regs *regs)
{
	return regs->ARM_r0;
}

#define BENCH_FUNCTION(name) ".type " name ", %function\n" name ":\n"

/* long bench_target(long): instructions that are copied; a conditional branch; a call. */
asm(".pushsection .text\n.arm\n.balign 4\n.globl bench_target\n"
    BENCH_FUNCTION("bench_target")
    "	add r0, r0, #0x120\n"
    "	cmp r0, #0\n"
    "	beq 1f\n"
    "1:	push {r11, lr}\n"
    "	bl bench_callee\n"
    "	pop {r11, lr}\n"
    "	bx lr\n"
    ".size bench_target, . - bench_target\n"
    BENCH_FUNCTION("bench_callee")
    "	bx lr\n"
    ".size bench_callee, . - bench_callee\n.popsection\n");
/* No labels: each would be a symbol, where a function ends. */
#define bench_short ((kprobe_opcode_t *)((char *)bench_target + 4))
#define bench_jump ((kprobe_opcode_t *)((char *)bench_target + 8))
#define bench_call ((kprobe_opcode_t *)((char *)bench_target + 16))

/* One of many, in 16 bytes. */
#define BENCH_SITE							\
	"	add r0, r0, #0x120\n"					\
	"	bx lr\n"						\
	"	.balign 16\n"

/* A function's entry is like any other text. */
#define BENCH_TRACER_SITES 0

#endif
