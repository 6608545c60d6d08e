/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * access.S - the instructions of the process host that cannot be C.
 *
 * Owns: the copy that may fault, whose range copy.c knows, a call on another stack, a call
 * that goes past a function's first instruction, a system call that is led aside, and the
 * beginning of a thread of ours.
 */
#include "env_asm.h"

#include <asm/unistd.h>

	.section .text.kp_trap, "ax", @progbits

	.macro	place name
	.globl	\name
	.hidden	\name
\name:
	.endm

/* As long as both sides have it and so much is left: on with the next smaller one. */
	.macro	copy load, store, len
	andi	$9, $8, \len - 1
	bnez	$9, 2f
	sltiu	$9, $6, \len
	bnez	$9, 2f
	nop
1:	\load	$10, 0($5)
	\store	$10, 0($4)
	ADDI	$5, $5, \len
	ADDI	$4, $4, \len
	ADDI	$6, $6, -\len
	sltiu	$9, $6, \len
	beqz	$9, 1b
	nop
2:
	.endm

/*
 * int kp_user_copy(void *dst, const void *src, size_t len): 0 or -EFAULT.  In one access
 * where it can be: a breakpoint, a word.
 */
function kp_user_copy
	or	$8, $4, $5
place kp_user_copy_begin
#ifdef __mips64
	copy	ld, sd, 8
#endif
	copy	lw, sw, 4
	copy	lhu, sh, 2
	copy	lbu, sb, 1
place kp_user_copy_end
	jr	$31
	move	$2, $0
place kp_user_copy_failed
	jr	$31
	li	$2, -14
end kp_user_copy

#define FRAME (ARGUMENTS + 2 * 8)
#define AT_RA (FRAME - LONG)
#define AT_FP (FRAME - 2 * LONG)

/* void kp_user_call_on(uintptr_t sp, void (*fn)(void *arg), void *arg) */
function kp_user_call_on
	ADDI	$29, $29, -FRAME
	.cfi_def_cfa_offset FRAME
	STORE	$31, AT_RA($29)
	.cfi_offset 31, AT_RA - FRAME
	STORE	$30, AT_FP($29)
	.cfi_offset 30, AT_FP - FRAME
	move	$30, $29
	.cfi_def_cfa_register 30
	li	$8, -16
	and	$29, $4, $8
	ADDI	$29, $29, -ARGUMENTS
	move	$25, $5
	jalr	$25
	move	$4, $6
	move	$29, $30
	.cfi_def_cfa_register 29
	LOAD	$31, AT_RA($29)
	.cfi_restore 31
	LOAD	$30, AT_FP($29)
	.cfi_restore 30
	jr	$31
	ADDI	$29, $29, FRAME
end kp_user_call_on

/* int kp_user_call_past(fn, arg, past, entry): whoever called this calls past, in its place. */
function kp_user_call_past
	move	$24, $6
	jr	$24
	move	$25, $7
end kp_user_call_past

/* A system call that was led here (passage.c); the breakpoint is served there. */
function kp_user_passage_call
	syscall
place kp_user_passage_end
	break
end kp_user_passage_call

#define CLONE_FRAME (32 + 4 * LONG)

/*
 * long kp_user_clone(flags, stack, tid, fn, arg): a thread that begins with
 * fn(arg), which never returns.  The kernel stores its number at tid, and 0
 * when it ends.  No C library: writer.c says why.
 */
function kp_user_clone
#ifndef __mips64
	lw	$8, 16($29)
#endif
	ADDI	$29, $29, -CLONE_FRAME
	.cfi_def_cfa_offset CLONE_FRAME
	STORE	$16, 32($29)
	.cfi_offset 16, 32 - CLONE_FRAME
	STORE	$17, 32 + LONG($29)
	.cfi_offset 17, 32 + LONG - CLONE_FRAME
	move	$16, $7
	move	$17, $8
	move	$7, $0
#ifdef __mips64
	move	$8, $6			/* where the 0 goes */
#else
	sw	$6, 16($29)
#endif
	li	$2, __NR_clone
	syscall
	beqz	$7, 1f
	nop
#ifdef __mips64
	dsubu	$2, $0, $2
#else
	subu	$2, $0, $2
#endif
	b	2f
	nop
1:	beqz	$2, 3f
	nop
2:	LOAD	$16, 32($29)
	LOAD	$17, 32 + LONG($29)
	jr	$31
	ADDI	$29, $29, CLONE_FRAME
	.cfi_undefined 31		/* nobody called the thread */
3:	move	$30, $0
	move	$31, $0
	ADDI	$29, $29, -32
	move	$25, $16
	jalr	$25
	move	$4, $17
	break
end kp_user_clone

	.section .note.GNU-stack, "", @progbits
