/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kprobes/pt_regs.h - x86-64 registers for hosts that are not the kernel.
 *
 * Owns: struct pt_regs with the kernel's field names and order, so that one
 * handler source serves every host.  arch/x86/regs.h asserts the layout.
 */
#ifndef KPROBES_PT_REGS_H
#define KPROBES_PT_REGS_H

struct pt_regs {
	unsigned long r15, r14, r13, r12;
	unsigned long bp, bx;
	unsigned long r11, r10, r9, r8;
	unsigned long ax, cx, dx, si, di;
	unsigned long orig_ax;
	unsigned long ip, cs, flags, sp, ss;
};

typedef unsigned char kprobe_opcode_t;

#define MAX_STACK_SIZE 64

#define KP_PT_IP ip
#define KP_PT_SP sp
#define KP_PT_RESULT ax
#define KP_PT_ARGUMENT(from, n)					\
	((n) == 0 ? (from)->di : (n) == 1 ? (from)->si : (n) == 2 ? (from)->dx :	\
	 (n) == 3 ? (from)->cx : (n) == 4 ? (from)->r8 : (n) == 5 ? (from)->r9 : 0)
#include <kprobes/pt_regs_access.h>

#endif
