/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kprobes/pt_regs.h - registers of the processor that does not exist.
 *
 * Owns: struct pt_regs; arch/toy/insn.h says what they are for.
 */
#ifndef KPROBES_PT_REGS_H
#define KPROBES_PT_REGS_H

struct pt_regs {
	unsigned long r[8];
	unsigned long sp, pc, flags;
};

typedef unsigned char kprobe_opcode_t;

#define MAX_STACK_SIZE 64

#define KP_PT_IP pc
#define KP_PT_SP sp
#define KP_PT_RESULT r[0]
#define KP_PT_ARGUMENT(from, n) ((n) < 6 ? (from)->r[n] : 0)
#include <kprobes/pt_regs_access.h>

#endif
