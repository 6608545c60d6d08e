/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * env_asm.h - the architecture's assembly in a test program.
 *
 * Owns: unwind notes, which are not looked at here.
 */
#ifndef KP_ENV_ASM_H
#define KP_ENV_ASM_H

#define KP_CFI(...) __VA_ARGS__

#endif
