/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * env_asm.h - how the architecture's assembly returns and calls in a kernel.
 *
 * Owns: that nothing there uses registers for floating point.
 */
#ifndef KP_ENV_ASM_H
#define KP_ENV_ASM_H

#define KP_VECTORS 0
#define KP_RETURN_STUBS 0

#endif
