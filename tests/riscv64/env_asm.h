/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * env_asm.h - the architecture's assembly in a test program.
 *
 * Owns: unwind notes, which are not looked at here.
 */
#ifndef KP_ENV_ASM_H
#define KP_ENV_ASM_H

#define KP_CFI(...) __VA_ARGS__
#define KP_VECTORS 1
#define KP_RETURN_STUBS 0
#define KP_FIND_ROOM(cramped)
#define KP_CRAMPED_DETOUR kp_core_on_detour
#define KP_CRAMPED_POST kp_core_on_post
#define KP_CRAMPED_RETURN kp_host_cramped_return

/* Handlers see nothing of the processor's state. */
.macro	kp_state reg, scratch
	li	\reg, 0
.endm

#endif
