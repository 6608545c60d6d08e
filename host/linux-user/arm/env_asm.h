/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * env_asm.h - how the architecture's assembly returns and calls in a process.
 *
 * Owns: the look for room on the stack (stack.c).
 */
#ifndef KP_ENV_ASM_H
#define KP_ENV_ASM_H

#include "kp_offsets.h"
#include "env_arch.h"

/* No hit's handlers are called by the entry. */
#define KP_DIRECT 0

/*
 * Is there room below sp, which is on a boundary of 8, for a handler?  sp may move to a
 * stack of the host's, or there is none: on to cramped.  Changes what a call may.
 */
.macro	kp_find_room cramped
	mov	r0, sp
	bl	kp_user_room_for_jump
	cmp	r0, #0
	beq	\cramped
	mov	sp, r0
.endm

#define KP_FIND_ROOM(cramped)	kp_find_room cramped

/* The upcalls for a hit, the end of its instruction and a return, without room. */
#define KP_CRAMPED_DETOUR	kp_user_cramped_detour
#define KP_CRAMPED_POST	kp_user_cramped_post
#define KP_CRAMPED_RETURN	kp_user_cramped_return

#endif
