/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * env_asm.h - how the architecture's assembly returns and calls in a kernel.
 *
 * Owns: its spelling; and what handlers see of the processor's state.
 */
#ifndef KP_ENV_ASM_H
#define KP_ENV_ASM_H

/* The kernel's unwinder goes by frame pointers. */
#define KP_CFI(...)

#define KP_VECTORS 0
#define KP_RETURN_STUBS 0

/*
 * sstatus as a trap from here would have saved it: from kernel mode (SPP), and interrupts
 * as they are (SIE) where they were (SPIE).
 */
.macro	kp_state reg, scratch
	csrr	\reg, sstatus
	andi	\scratch, \reg, 2
	slli	\scratch, \scratch, 4
	andi	\reg, \reg, ~0x22
	or	\reg, \reg, \scratch
	li	\scratch, 0x100
	or	\reg, \reg, \scratch
.endm

#endif
