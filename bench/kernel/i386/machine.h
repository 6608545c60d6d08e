/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * machine.h - what kp_bench.c has to know of i386.
 *
 * Owns: the functions that are probed, and the counter.
 */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include <asm/msr.h>
#include <asm/nospec-branch.h>

static inline void bench_count_start(void)
{
}

static inline u64 bench_count(void)
{
	return rdtsc_ordered();
}

static inline unsigned long bench_argument(const struct pt_regs *regs)
{
	return regs->ax;
}

/* A jump to the return thunk would keep the built-in from optimizing. */
#define PLAIN_RET "ret\n	int3\n"

#define BENCH_FUNCTION(name) ".type " name ", @function\n" name ":\n"

/*
 * long bench_target(long): an instruction that is copied, long enough for a
 * jump; a conditional jump; a call.
 */
asm(".pushsection .text\n.globl bench_target\n"
    BENCH_FUNCTION("bench_target")
    "	lea 0x12345(%eax), %eax\n"
    "	{disp8} lea 0(%eax), %ecx\n"
    "	jz 1f\n"
    "1:	{disp8} lea 0(%esi), %esi\n"
    "	call bench_callee\n"
    "	nop\n	nop\n	nop\n	nop\n	nop\n"
    "	" PLAIN_RET
    ".size bench_target, . - bench_target\n"
    BENCH_FUNCTION("bench_callee")
    "	" PLAIN_RET
    ".size bench_callee, . - bench_callee\n.popsection\n");
/* No labels: each would be a symbol, where a function ends. */
#define bench_short ((kprobe_opcode_t *)bench_target + 6)
#define bench_jump (bench_short + 3)
#define bench_call (bench_jump + 5)

/* One of many, in 16 bytes. */
#define BENCH_SITE							\
	"	lea 0x12345(%eax), %eax\n"				\
	"	" ASM_RET						\
	"	.balign 16, 0xcc\n"

/* ftrace has the entries of functions. */
#define BENCH_TRACER_SITES 1

#endif
