/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * env_asm.h - how the architecture's assembly returns and calls in a process.
 *
 * Owns: the spelling of unwind notes, and the look for room on the stack (stack.c).
 */
#ifndef KP_ENV_ASM_H
#define KP_ENV_ASM_H

#include "kp_offsets.h"
#include "env_arch.h"

#define KP_CFI(...) __VA_ARGS__

/* Handlers see nothing of the processor's state. */
.macro	kp_state reg, scratch
	li	\reg, 0
.endm

#ifdef KP_THREAD_TABLE
/*
 * As kp_user_thread() of thread_table.h, into reg; but its stack is not looked at.  To slow
 * where the thread is not known at once.  t1 and t2 are scratch.
 */
.macro	kp_thread reg, slow
	lla	t1, kp_user_thread_word
	ld	t1, 0(t1)
	andi	t2, t1, 1
	bnez	t2, \slow
	add	t1, t1, tp
word\@:
	lw	t1, 0(t1)
	lla	\reg, kp_user_threads + 8
	slli	t2, t1, 48
	srli	t2, t2, 45
	add	t2, t2, \reg
	ld	t2, 0(t2)
	add	\reg, \reg, t2
	lw	t2, -8(\reg)
	bne	t1, t2, \slow
	.pushsection kp_thread_fixups, "a"
	.balign 4
	.long	word\@ - ., \slow - .
	.popsection
.endm
#endif

/*
 * Is there room below sp for a handler?  As long as the thread is where it was known to
 * be, no call is made; else sp may move to a stack of the host's, or there is none: on to
 * cramped.  Changes what a call may.
 */
.macro	kp_find_room cramped
#ifdef KP_THREAD_TABLE
	kp_thread t0, look\@
#else
	la.tls.ie t0, kp_user_thread_own
	add	t0, t0, tp
#endif
	ld	t1, 0(t0)
	ld	t2, 8(t0)
	sub	t1, sp, t1
	bleu	t1, t2, found\@
look\@:
	mv	a0, sp
	call	kp_user_room_for_jump
	beqz	a0, \cramped
	mv	sp, a0
found\@:
.endm

#define KP_FIND_ROOM(cramped)	kp_find_room cramped

/* The upcalls for a hit, the end of its instruction and a return, without room. */
#define KP_CRAMPED_DETOUR	kp_user_cramped_detour
#define KP_CRAMPED_POST	kp_user_cramped_post
#define KP_CRAMPED_RETURN	kp_user_cramped_return

#endif
