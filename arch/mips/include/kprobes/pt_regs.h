/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kprobes/pt_regs.h - MIPS registers for hosts that are not the kernel.
 *
 * Owns: struct pt_regs as the kernel's, so that one handler source serves every host.
 */
#ifndef KPROBES_PT_REGS_H
#define KPROBES_PT_REGS_H

struct pt_regs {
#if defined(__mips__) && !defined(__mips64)
	unsigned long pad0[8];	/* where functions of 32 bits put their arguments */
#endif
	unsigned long regs[32];
	unsigned long cp0_status;
	unsigned long hi;
	unsigned long lo;
	unsigned long cp0_badvaddr;
	unsigned long cp0_cause;
	unsigned long cp0_epc;
};

typedef unsigned int kprobe_opcode_t;

#define MAX_STACK_SIZE 128

/* How many arguments a function finds in registers. */
#if defined(__mips__) && !defined(__mips64)
#define KP_MIPS_ARGUMENTS 4
#else
#define KP_MIPS_ARGUMENTS 8
#endif

#define KP_PT_IP cp0_epc
#define KP_PT_SP regs[29]
#define KP_PT_RESULT regs[2]
#define KP_PT_ARGUMENT(from, n) ((n) < KP_MIPS_ARGUMENTS ? (from)->regs[4 + (n)] : 0)
#include <kprobes/pt_regs_access.h>

#endif
