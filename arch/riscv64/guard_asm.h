/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * guard_asm.h - a struct kp_arch_guard, for assembly.
 *
 * Owns: its offsets, which guard.c asserts, and the stores that fill one.
 */
#ifndef KP_RISCV64_GUARD_ASM_H
#define KP_RISCV64_GUARD_ASM_H

#define GUARD_SP	0
#define GUARD_IP	8
#define GUARD_S0	16
#define GUARD_ABORTED	112

#ifdef __ASSEMBLER__

/* Each register that a function keeps: op sN, its place. */
.macro	each_saved op, guard
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
	\op	s\n, GUARD_S0 + 8 * \n(\guard)
	.endr
.endm

/* At a function's entry. */
.macro	fill_guard guard
	sd	sp, GUARD_SP(\guard)
	sd	ra, GUARD_IP(\guard)
	each_saved sd, \guard
	sd	zero, GUARD_ABORTED(\guard)
.endm

#endif

#endif
