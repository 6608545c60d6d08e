/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * machine.h - what kp_bench.c has to know of MIPS.
 *
 * Owns: the functions that are probed, and the counter: that by which the kernel tells the
 * time.  QEMU counts it up every few ns, which are as many instructions then: 10 until its
 * release 5.1, 6 since; so that it is asked for, and many calls are counted at once.
 */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include <asm/mipsregs.h>

#define BENCH_CALLS 10
#define BENCH_KNOWN 1000000u	/* turns of a loop of two instructions */

static unsigned int bench_counted = 1;	/* instructions that it counts as one */

/* It has 32 bits, and differences are all that counts. */
static inline u64 bench_count(void)
{
	return (u64)read_c0_count() * bench_counted;
}

static inline void bench_count_start(void)
{
	unsigned int turns = BENCH_KNOWN, took;
	unsigned long flags;

	local_irq_save(flags);
	took = read_c0_count();
	asm volatile(".set push\n.set noreorder\n1:	bnez %0, 1b\n	addiu %0, %0, -1\n.set pop" : "+r"(turns));
	took = read_c0_count() - took;
	local_irq_restore(flags);
	bench_counted = max(1u, DIV_ROUND_CLOSEST(2 * BENCH_KNOWN, took));
}

static inline unsigned long bench_argument(const struct pt_regs *regs)
{
	return regs->regs[4];
}

#ifdef CONFIG_64BIT
#define BENCH_ADDI "daddiu"
#define BENCH_STORE "sd"
#define BENCH_LOAD "ld"
#else
#define BENCH_ADDI "addiu"
#define BENCH_STORE "sw"
#define BENCH_LOAD "lw"
#endif

#define BENCH_FUNCTION(name) ".type " name ", @function\n" name ":\n"

/* long bench_target(long): instructions that are copied; a conditional branch; a call. */
asm(".pushsection .text\n.balign 8\n.set push\n.set noreorder\n.globl bench_target\n"
    BENCH_FUNCTION("bench_target")
    "	" BENCH_ADDI " $2, $4, 0x123\n"
    "	move $3, $2\n"
    "	beqz $2, 1f\n"
    "	nop\n"
    "1:	" BENCH_ADDI " $29, $29, -32\n"
    "	" BENCH_STORE " $31, 24($29)\n"
    "	bal bench_callee\n"
    "	nop\n"
    "	" BENCH_LOAD " $31, 24($29)\n"
    "	jr $31\n"
    "	" BENCH_ADDI " $29, $29, 32\n"
    ".size bench_target, . - bench_target\n"
    BENCH_FUNCTION("bench_callee")
    "	jr $31\n"
    "	nop\n"
    ".size bench_callee, . - bench_callee\n.set pop\n.popsection\n");
/* No labels: each would be a symbol, where a function ends. */
#define bench_short ((kprobe_opcode_t *)((char *)bench_target + 4))
#define bench_jump ((kprobe_opcode_t *)((char *)bench_target + 8))
#define bench_call ((kprobe_opcode_t *)((char *)bench_target + 24))

/* One of many, in 16 bytes. */
#define BENCH_SITE							\
	"	.set push\n"						\
	"	.set noreorder\n"					\
	"	" BENCH_ADDI " $2, $4, 0x123\n"				\
	"	jr $31\n"						\
	"	nop\n"							\
	"	.balign 16\n"						\
	"	.set pop\n"

/* A function's entry is like any other text. */
#define BENCH_TRACER_SITES 0

#endif
