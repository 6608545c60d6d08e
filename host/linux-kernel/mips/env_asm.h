/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * env_asm.h - how the architecture's assembly returns and calls in a kernel.
 *
 * Owns: its spelling; and what handlers see of the processor's state.
 */
#ifndef KP_ENV_ASM_H
#define KP_ENV_ASM_H

/* The kernel's unwinder reads the instructions at a function's start. */
#define KP_CFI(...)

#define KP_VECTORS 0
#define KP_RETURN_STUBS 0

/* Modules are relocated by absolute addresses alone. */
#define KP_ABSOLUTE 1

/* c0_status as a trap from here would have saved it: with EXL. */
#define KP_STATE(reg)							\
	mfc0	reg, $12;						\
	ori	reg, reg, 2

#endif
