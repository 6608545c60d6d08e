/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * env_asm.h - how the architecture's assembly returns and calls in a 32-bit kernel.
 *
 * Owns: the mitigations' spelling, and where arguments are: all of the kernel is compiled
 * for three in registers, and so is this module.
 */
#ifndef KP_ENV_ASM_H
#define KP_ENV_ASM_H

#include <linux/stringify.h>
#include <asm/alternative.h>
#include <asm/linkage.h>
#include <asm/nospec-branch.h>

#define KP_REGPARM 1
#define KP_RET RET
/* reg: a register's name without the percent sign. */
#define KP_CALL_REG(reg) CALL_NOSPEC reg
/* These kernels have no unwind tables. */
#define KP_CFI(...)
#define KP_FRAMES 1

/* Returns (return.S). */
#define KP_VECTORS 0
#define KP_RETURN_STUBS 0

#endif
