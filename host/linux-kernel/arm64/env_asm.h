/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * env_asm.h - how the architecture's assembly returns and calls in a kernel.
 *
 * Owns: its spelling; and what handlers see of the processor's state.
 */
#ifndef KP_ENV_ASM_H
#define KP_ENV_ASM_H

#define KP_RET ret
/* The kernel's unwinder goes by frame pointers. */
#define KP_CFI(...)

#define KP_VECTORS 0
#define KP_RETURN_STUBS 0

/*
 * reg has the flags: all the rest that tells kernel mode from user mode, and whether
 * interrupts are masked.
 */
.macro	kp_state reg, scratch
	mrs	\scratch, daif
	orr	\reg, \reg, \scratch
	mrs	\scratch, CurrentEL
	orr	\reg, \reg, \scratch
	orr	\reg, \reg, #1			/* with a stack pointer of its own */
.endm

#endif
