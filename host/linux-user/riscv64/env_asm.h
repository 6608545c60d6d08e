/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * env_asm.h - how the architecture's assembly returns and calls in a process.
 *
 * Owns: the spelling of unwind notes.
 */
#ifndef KP_ENV_ASM_H
#define KP_ENV_ASM_H

#include "kp_offsets.h"
#include "env_arch.h"

#define KP_CFI(...) __VA_ARGS__

#endif
