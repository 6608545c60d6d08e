/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * guard_asm.h - a struct kp_arch_guard, for assembly.
 *
 * Owns: its offsets, which guard.c asserts, and the stores that fill one.  Vector
 * registers are none of its: the engine uses none, and who comes to a handler from
 * where some are in use keeps them all (kp_arch_keeping, the frames of traps).
 */
#ifndef KP_ARM64_GUARD_ASM_H
#define KP_ARM64_GUARD_ASM_H

#define GUARD_SP	0
#define GUARD_IP	8
#define GUARD_X19	16
#define GUARD_ABORTED	104
#define GUARD_LEN	112

#ifdef __ASSEMBLER__

/* At a function's entry; x9 goes. */
.macro	fill_guard guard
	mov	x9, sp
	stp	x9, x30, [\guard, #GUARD_SP]
	stp	x19, x20, [\guard, #GUARD_X19]
	stp	x21, x22, [\guard, #GUARD_X19 + 16]
	stp	x23, x24, [\guard, #GUARD_X19 + 32]
	stp	x25, x26, [\guard, #GUARD_X19 + 48]
	stp	x27, x28, [\guard, #GUARD_X19 + 64]
	stp	x29, xzr, [\guard, #GUARD_X19 + 80]
.endm

#endif

#endif
