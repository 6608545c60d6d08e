/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * env_asm.h - the assembler environment of tests that are arm64 programs.
 *
 * Owns: how assembly describes its frame; there is always room on the stack.
 */
#ifndef KP_ENV_ASM_H
#define KP_ENV_ASM_H

#define KP_CFI(...)	__VA_ARGS__

#define KP_VECTORS 1
#define KP_FIND_ROOM(cramped)
#define KP_CRAMPED_DETOUR	kp_core_on_detour
#define KP_CRAMPED_POST		kp_core_on_post
#define KP_CRAMPED_RETURN	kp_core_on_return

/* Of the processor's state handlers see the flags alone, which are in reg. */
.macro	kp_state reg, scratch
.endm

#endif
