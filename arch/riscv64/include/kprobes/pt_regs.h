/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kprobes/pt_regs.h - riscv64 registers for hosts that are not the kernel.
 *
 * Owns: struct pt_regs with the kernel's field names and order, so that one handler
 * source serves every host.  x1 to x31 stand in their order, and the PC in x0's place.
 */
#ifndef KPROBES_PT_REGS_H
#define KPROBES_PT_REGS_H

struct pt_regs {
	unsigned long epc;
	unsigned long ra, sp, gp, tp;
	unsigned long t0, t1, t2;
	unsigned long s0, s1;
	unsigned long a0, a1, a2, a3, a4, a5, a6, a7;
	unsigned long s2, s3, s4, s5, s6, s7, s8, s9, s10, s11;
	unsigned long t3, t4, t5, t6;
	unsigned long status, badaddr, cause;
	unsigned long orig_a0;
};

typedef unsigned int kprobe_opcode_t;

#define MAX_STACK_SIZE 128

#define KP_PT_IP epc
#define KP_PT_SP sp
#define KP_PT_RESULT a0
#define KP_PT_ARGUMENT(from, n) ((n) < 8 ? (&(from)->a0)[n] : 0)
#include <kprobes/pt_regs_access.h>

#endif
