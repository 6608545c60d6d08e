/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kprobes/pt_regs.h - i386 registers for hosts that are not the kernel.
 *
 * Owns: struct pt_regs with the kernel's field names and order, so that one
 * handler source serves every host.  arch/i386/regs.h asserts the layout.
 */
#ifndef KPROBES_PT_REGS_H
#define KPROBES_PT_REGS_H

struct pt_regs {
	unsigned long bx, cx, dx, si, di, bp, ax;
	unsigned short ds, __dsh, es, __esh, fs, __fsh, gs, __gsh;
	unsigned long orig_ax, ip;
	unsigned short cs, __csh;
	unsigned long flags, sp;
	unsigned short ss, __ssh;
};

typedef unsigned char kprobe_opcode_t;

#define MAX_STACK_SIZE 64

#define KP_PT_IP ip
#define KP_PT_SP sp
#define KP_PT_RESULT ax
#define KP_PT_ARGUMENT(from, n) (((const unsigned long *)(from)->sp)[1 + (n)])	/* all are on the stack */
#include <kprobes/pt_regs_access.h>

#endif
