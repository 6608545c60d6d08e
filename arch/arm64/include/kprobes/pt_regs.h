/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kprobes/pt_regs.h - arm64 registers for hosts that are not the kernel.
 *
 * Owns: struct pt_regs with the kernel's field names and order, so that one
 * handler source serves every host.  arch/arm64/regs.h asserts the layout.
 */
#ifndef KPROBES_PT_REGS_H
#define KPROBES_PT_REGS_H

struct pt_regs {
	unsigned long regs[31];
	unsigned long sp, pc, pstate;
};

typedef unsigned int kprobe_opcode_t;

#define MAX_STACK_SIZE 128

#define KP_PT_IP pc
#define KP_PT_SP sp
#define KP_PT_RESULT regs[0]
#define KP_PT_ARGUMENT(from, n) ((n) < 8 ? (from)->regs[n] : 0)
#include <kprobes/pt_regs_access.h>

#endif
