/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * machine.h - what kp_bench.c has to know of riscv64.
 *
 * Owns: the functions that are probed, and the counter: that of cycles, which the kernel may
 * have had the firmware stop.  The one that tells the time is too coarse to count
 * instructions by.
 */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include <asm/csr.h>

static inline u64 bench_count(void)
{
	return csr_read(CSR_CYCLE);
}

/* The firmware's: configure counter 0 for cycles and start it. */
static inline void bench_count_start(void)
{
	register unsigned long first asm("a0") = 0, mask asm("a1") = 1, flags asm("a2") = 4;
	register unsigned long event asm("a3") = 1, data asm("a4") = 0;
	register unsigned long match asm("a6") = 2, pmu asm("a7") = 0x504d55;

	asm volatile("ecall" : "+r"(first), "+r"(mask)
		     : "r"(flags), "r"(event), "r"(data), "r"(match), "r"(pmu) : "memory");
}

static inline unsigned long bench_argument(const struct pt_regs *regs)
{
	return regs->a0;
}

#define BENCH_FUNCTION(name) ".type " name ", %function\n" name ":\n"

/* long bench_target(long): instructions that are copied; a conditional branch; a call. */
asm(".pushsection .text\n.balign 4\n.option push\n.option norvc\n.globl bench_target\n"
    BENCH_FUNCTION("bench_target")
    "	addi a0, a0, 0x123\n"
    "	mv t0, a0\n"
    "	beqz a0, 1f\n"
    "1:	addi sp, sp, -16\n"
    "	sd ra, 8(sp)\n"
    "	jal ra, bench_callee\n"
    "	ld ra, 8(sp)\n"
    "	addi sp, sp, 16\n"
    "	ret\n"
    ".size bench_target, . - bench_target\n"
    BENCH_FUNCTION("bench_callee")
    "	ret\n"
    ".size bench_callee, . - bench_callee\n.option pop\n.popsection\n");
/* No labels: each would be a symbol, where a function ends. */
#define bench_short ((kprobe_opcode_t *)((char *)bench_target + 4))
#define bench_jump ((kprobe_opcode_t *)((char *)bench_target + 8))
#define bench_call ((kprobe_opcode_t *)((char *)bench_target + 20))

/* One of many, in 16 bytes. */
#define BENCH_SITE							\
	"	.option push\n"						\
	"	.option norvc\n"					\
	"	addi a0, a0, 0x123\n"					\
	"	ret\n"							\
	"	.balign 16\n"						\
	"	.option pop\n"

/* A function's entry is like any other text. */
#define BENCH_TRACER_SITES 0

#endif
