/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * env_asm.h - how the architecture's assembly returns and calls in a process.
 *
 * Owns: the spelling of unwind notes, and the look for room on the stack (stack.c).
 */
#ifndef KP_ENV_ASM_H
#define KP_ENV_ASM_H

#include "env_arch.h"

#define KP_CFI(...) __VA_ARGS__

#include "asm.h"

/*
 * Is there room below $29 for a handler?  It may move to a stack of the host's, or there
 * is none: on to cramped.  There is room for a call's arguments, too.  Changes what a call may.
 */
.macro	kp_find_room cramped
	move	$4, $29
	ADDI	$29, $29, -ARGUMENTS
	call	kp_user_room_for_jump
	ADDI	$29, $29, ARGUMENTS
	beqz	$2, \cramped
	nop
	ADDI	$29, $2, -ARGUMENTS
.endm

#define KP_FIND_ROOM(cramped)	kp_find_room cramped

/* The upcall for a return, without room. */
#define KP_CRAMPED_RETURN	kp_user_cramped_return

#endif
