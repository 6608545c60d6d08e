/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kprobes/pt_regs.h - arm registers for hosts that are not the kernel.
 *
 * Owns: struct pt_regs with the kernel's names and order, so that one handler source serves
 * every host.  uregs[15] is the PC, without the bit that says Thumb: that is CPSR's T.
 */
#ifndef KPROBES_PT_REGS_H
#define KPROBES_PT_REGS_H

struct pt_regs {
	unsigned long uregs[18];
};

#define ARM_r0		uregs[0]
#define ARM_r1		uregs[1]
#define ARM_r2		uregs[2]
#define ARM_r3		uregs[3]
#define ARM_r4		uregs[4]
#define ARM_r5		uregs[5]
#define ARM_r6		uregs[6]
#define ARM_r7		uregs[7]
#define ARM_r8		uregs[8]
#define ARM_r9		uregs[9]
#define ARM_r10		uregs[10]
#define ARM_fp		uregs[11]
#define ARM_ip		uregs[12]
#define ARM_sp		uregs[13]
#define ARM_lr		uregs[14]
#define ARM_pc		uregs[15]
#define ARM_cpsr	uregs[16]
#define ARM_ORIG_r0	uregs[17]

#define PSR_T_BIT	0x00000020

typedef unsigned int kprobe_opcode_t;

#define MAX_STACK_SIZE 64

#define KP_PT_IP ARM_pc
#define KP_PT_SP ARM_sp
#define KP_PT_RESULT ARM_r0
#define KP_PT_ARGUMENT(from, n) ((n) < 4 ? (from)->uregs[n] : 0)
#include <kprobes/pt_regs_access.h>

#endif
