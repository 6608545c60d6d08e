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

#define KP_RET ret
#define KP_CALL_REG(reg) blr reg
#define KP_CFI(...) __VA_ARGS__
/* Reached by a signal's return, with the stack as on a function's entry. */
#define KP_UNWIND_FUNC

/* Hits through jumps, and returns. */
#define KP_NONSTANDARD(function)

#ifdef KP_THREAD_TABLE
/*
 * As kp_user_thread() of thread_table.h, into reg; but its stack is not looked at.  To slow
 * where the thread is not known at once.  x1 and x2 are scratch.
 */
.macro	kp_thread reg, slow
	adrp	x1, kp_user_thread_word
	ldr	x1, [x1, #:lo12:kp_user_thread_word]
	mrs	x2, tpidr_el0
	tbnz	x1, #0, \slow
word\@:
	ldr	w1, [x1, x2]
	adrp	\reg, kp_user_threads
	add	\reg, \reg, #:lo12:kp_user_threads
	add	\reg, \reg, #8
	and	x2, x1, #0xffff
	ldr	x2, [\reg, x2, lsl #3]
	add	\reg, \reg, x2
	ldur	w2, [\reg, #-8]
	cmp	w1, w2
	b.ne	\slow
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
	kp_thread x0, look\@
#else
	adrp	x0, :gottprel:kp_user_thread_own
	ldr	x0, [x0, #:gottprel_lo12:kp_user_thread_own]
	mrs	x1, tpidr_el0
	add	x0, x0, x1
#endif
	ldp	x3, x4, [x0]
	mov	x2, sp
	sub	x2, x2, x3
	cmp	x2, x4
	b.ls	found\@
look\@:
	mov	x0, sp
	bl	kp_user_room_for_jump
	cbz	x0, \cramped
	mov	sp, x0
found\@:
.endm

/* Of the processor's state handlers see the flags alone, which are in reg. */
.macro	kp_state reg, scratch
.endm

#define KP_FIND_ROOM(cramped)	kp_find_room cramped

/* The upcalls for a hit, the end of its instruction and a return, without room. */
#define KP_CRAMPED_DETOUR	kp_user_cramped_detour
#define KP_CRAMPED_POST		kp_user_cramped_post
#define KP_CRAMPED_RETURN	kp_user_cramped_return

/* Said to a kernel's objtool. */
#define KP_NO_TARGET

#endif
