/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * env_asm.h - how the architecture's assembly returns and calls in a process.
 *
 * Owns: the spelling of call, return and unwind notes: the plain ones; the look
 * for room on the stack (stack.c); and the way in and out of a context for a hit
 * that needs least (context.c has the others).
 */
#ifndef KP_ENV_ASM_H
#define KP_ENV_ASM_H

#include "kp_offsets.h"
#include "env_arch.h"

#define KP_RET ret
#define KP_RET_FLAGS ret
/* reg: a register's name without the percent sign. */
#define KP_CALL_REG(reg) call *%reg
#define KP_CFI(...) __VA_ARGS__
/* Reached by a signal's return, with the stack as on a function's entry. */
#define KP_UNWIND_FUNC

/* Hits through jumps, and returns (detour_entry.S, return.S). */
#define KP_RED_ZONE 128
#define KP_CS 0x33
#define KP_SS 0x2b
#define KP_BALANCED 1
#define KP_FRAMES 0
#define KP_NONSTANDARD(function)

/* Said to a kernel's objtool. */
#define KP_NO_TARGET

#ifdef KP_THREAD_TABLE
/*
 * As kp_user_thread() of thread_table.h, into reg; but its stack is not looked at.  To slow
 * where the thread is not known at once.  rax and rcx are scratch.
 */
.macro	kp_thread reg, slow
	mov	kp_user_thread_word(%rip), %rax
	test	$1, %al
	jnz	\slow
word\@:
	mov	%fs:(%rax), %ecx
	movzwl	%cx, %eax
	lea	kp_user_threads + 8(%rip), %\reg
	add	(%\reg, %rax, 8), %\reg
	cmp	%ecx, -8(%\reg)
	jne	\slow
	.pushsection kp_thread_fixups, "a"
	.long	word\@ - ., \slow - .
	.popsection
.endm
#endif

/*
 * rsp: is there room below for a handler?  As long as the thread is where it was
 * known to be, no call is made; else rsp may move to a stack of the host's, or
 * there is none: on to cramped.  Keeps rbx and rsi; rsp on a boundary of 16.
 */
.macro	kp_find_room cramped
#ifdef KP_THREAD_TABLE
	kp_thread rdi, look\@
	mov	%rsp, %rcx
	sub	(%rdi), %rcx
	cmp	8(%rdi), %rcx
	jbe	found\@
look\@:
#else
	mov	kp_user_thread_own@gottpoff(%rip), %rax
	mov	%rsp, %rcx
	sub	%fs:(%rax), %rcx
	cmp	%fs:8(%rax), %rcx
	jbe	found\@
#endif
	push	%rsi
	sub	$8, %rsp
	lea	16(%rsp), %rdi
	call	kp_user_room_for_jump
	add	$8, %rsp
	pop	%rsi
	test	%rax, %rax
	jz	\cramped
	mov	%rax, %rsp
found\@:
.endm

#define KP_FIND_ROOM(cramped)	kp_find_room cramped

/*
 * A hit that needs least: rsp is where this thread is known to be, its context
 * has no reader, and no signal that is blocked.
 */
#define KP_LEAN 1
.macro kp_reader_begin ctx, undo
#ifdef KP_THREAD_TABLE
	kp_thread \ctx, \undo
	mov	%rsp, %rcx
	sub	(%\ctx), %rcx
	cmp	8(%\ctx), %rcx
	ja	\undo
	mov	KP_ROOM_CONTEXT(%\ctx), %\ctx
#else
	mov	kp_user_thread_own@gottpoff(%rip), %rax
	mov	%rsp, %rcx
	sub	%fs:(%rax), %rcx
	cmp	%fs:8(%rax), %rcx
	ja	\undo
	mov	%fs:KP_ROOM_CONTEXT(%rax), %\ctx
#endif
	cmpq	$0, KP_CTX_INSIDE(%\ctx)
	jne	\undo
	cmpw	$0, KP_CTX_ODD(%\ctx)
	jne	\undo
	mov	%rsp, KP_CTX_INSIDE(%\ctx)
.endm
.macro kp_reader_end ctx
	incq	KP_CTX_LEFT(%\ctx)
	movq	$0, KP_CTX_INSIDE(%\ctx)
.endm
.macro kp_direct_begin ctx, undo
	kp_reader_begin \ctx, \undo
	mov	%rsi, KP_CTX_FRAME(%\ctx)
	mov	%rdx, KP_CTX_SITE(%\ctx)
.endm
.macro kp_direct_undo
.endm
.macro kp_direct_site ctx, reg
	mov	KP_CTX_SITE(%\ctx), %\reg
.endm
.macro kp_direct_end ctx
	movq	$0, KP_CTX_SITE(%\ctx)
	movq	$0, KP_CTX_FRAME(%\ctx)
	kp_reader_end \ctx
.endm
/* errno, as kp_host_enter_detour saves it; an image's threads have none (process/ids.h). */
.macro kp_direct_note ctx
#ifdef KP_IMAGE
	movq	$0, KP_CTX_SAVED(%\ctx)
#else
	mov	kp_user_errno_offset(%rip), %rax
	mov	%fs:(%rax), %ecx
	mov	%rcx, KP_CTX_SAVED(%\ctx)
#endif
	movq	$0, KP_CTX_SAVED + 8(%\ctx)
	movq	$0, KP_CTX_VECTORS(%\ctx)
.endm
.macro kp_direct_vectors ctx, reg
	mov	%\reg, KP_CTX_VECTORS(%\ctx)
.endm
.macro kp_direct_current ctx, reg
	mov	%\reg, KP_CTX_CURRENT(%\ctx)
.endm
.macro kp_direct_forget ctx
	movq	$0, KP_CTX_CURRENT(%\ctx)
#ifndef KP_IMAGE
	mov	kp_user_errno_offset(%rip), %rax
	mov	KP_CTX_SAVED(%\ctx), %ecx
	mov	%ecx, %fs:(%rax)
#endif
.endm

/* The upcalls for a hit, the end of its instruction and a return, without room. */
#define KP_CRAMPED_DETOUR	kp_user_cramped_detour
#define KP_CRAMPED_POST		kp_user_cramped_post
#define KP_CRAMPED_RETURN	kp_user_cramped_return

#endif
