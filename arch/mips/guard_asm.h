/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * guard_asm.h - a struct kp_arch_guard and a struct kp_arch_jprobe, for assembly.
 *
 * Owns: their offsets, which guard.c and jprobe.c assert, and the stores that fill a guard.
 */
#ifndef KP_MIPS_GUARD_ASM_H
#define KP_MIPS_GUARD_ASM_H

#include "asm.h"

#define GUARD_SP	0
#define GUARD_IP	LONG
#define GUARD_S0	(2 * LONG)
#define GUARD_GP	(10 * LONG)
#define GUARD_FP	(11 * LONG)
#define GUARD_ABORTED	(12 * LONG)

/* It begins with a guard. */
#define JPROBE_A	(13 * LONG)
#define JPROBE_VECTORS	(21 * LONG)
#define JPROBE_STACK	(22 * LONG)
#define JPROBE_STACK_LEN 256

#ifdef __ASSEMBLER__

/* Each register that a function keeps: op, its place. */
.macro	each_saved op, guard
	.set	saved, GUARD_S0
	.irp	reg, 16, 17, 18, 19, 20, 21, 22, 23
	\op	$\reg, saved(\guard)
	.set	saved, saved + LONG
	.endr
	\op	$28, GUARD_GP(\guard)
	\op	$30, GUARD_FP(\guard)
.endm

/* At a function's entry. */
.macro	fill_guard guard
	STORE	$29, GUARD_SP(\guard)
	STORE	$31, GUARD_IP(\guard)
	each_saved STORE, \guard
	STORE	$0, GUARD_ABORTED(\guard)
.endm

#endif

#endif
