/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * env_asm.h - how the architecture's assembly returns and calls in a process.
 *
 * Owns: the spelling of unwind notes and of calls, and the look for room on the stack (stack.c).
 */
#ifndef KP_ENV_ASM_H
#define KP_ENV_ASM_H

#include "kp_offsets.h"
#include "env_arch.h"

#define KP_CFI(...) __VA_ARGS__
#define KP_RET ret
#define KP_CALL_REG(reg) call *%reg
#define KP_REGPARM 0
#define KP_FRAMES 0
/* No hit's handlers are called by the entry. */
#define KP_DIRECT 0

/*
 * Is there room below esp, which is on a boundary of 16, for a handler?  esp may move to a
 * stack of the host's, or there is none: on to cramped.  Changes what a call may.
 */
.macro	kp_find_room cramped
	mov	%esp, %eax
	sub	$12, %esp
	push	%eax
	call	kp_user_room_for_jump
	add	$16, %esp
	test	%eax, %eax
	jz	\cramped
	mov	%eax, %esp
.endm

#define KP_FIND_ROOM(cramped)	kp_find_room cramped

/* The upcalls for a hit, the end of its instruction and a return, without room. */
#define KP_CRAMPED_DETOUR	kp_user_cramped_detour
#define KP_CRAMPED_POST		kp_user_cramped_post
#define KP_CRAMPED_RETURN	kp_user_cramped_return

#endif
