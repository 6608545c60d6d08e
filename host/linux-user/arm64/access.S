/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * access.S - the instructions of the process host that cannot be C.
 *
 * Owns: the copy that may fault, whose range copy.c knows, a call on another stack, a
 * system call that is led aside, and the beginning of a thread of ours.
 */
	.section .text.kp_trap, "ax", @progbits

	.macro	function name
	.globl	\name
	.hidden	\name
	.type	\name, @function
	.p2align 4
\name:
	.endm
	.macro	place name
	.globl	\name
	.hidden	\name
\name:
	.endm

/* int kp_user_copy(void *dst, const void *src, size_t len): 0 or -EFAULT. */
	function kp_user_copy
	.cfi_startproc
	cmp	x2, #8
	b.ne	1f
place kp_user_copy_begin
	ldr	x3, [x1]		/* what hits read and write */
	str	x3, [x0]
	mov	w0, #0
	ret
1:	subs	x2, x2, #32
	b.lo	3f
2:	ldp	x3, x4, [x1], #16
	ldp	x5, x6, [x1], #16
	stp	x3, x4, [x0], #16
	stp	x5, x6, [x0], #16
	subs	x2, x2, #32
	b.hs	2b
3:	adds	x2, x2, #24		/* len - 8 */
	b.lt	5f
4:	ldr	x3, [x1], #8
	str	x3, [x0], #8
	subs	x2, x2, #8
	b.ge	4b
5:	adds	x2, x2, #8
	b.eq	9f
	/* In one access where it can be: a word of text, a byte. */
	cmp	x2, #4
	b.lt	6f
	ldr	w3, [x1], #4
	str	w3, [x0], #4
	subs	x2, x2, #4
	b.eq	9f
6:	ldrb	w3, [x1], #1
	strb	w3, [x0], #1
	subs	x2, x2, #1
	b.ne	6b
9:	mov	w0, #0
place kp_user_copy_end
	ret
place kp_user_copy_failed
	mov	w0, #-14
	ret
	.cfi_endproc
	.size	kp_user_copy, . - kp_user_copy

/* void kp_user_call_on(uintptr_t sp, void (*fn)(void *arg), void *arg) */
	function kp_user_call_on
	.cfi_startproc
	stp	x29, x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset x29, -16
	.cfi_offset x30, -8
	mov	x29, sp
	.cfi_def_cfa_register x29
	and	x3, x0, #-16
	mov	sp, x3
	mov	x0, x2
	blr	x1
	mov	sp, x29
	.cfi_def_cfa_register sp
	ldp	x29, x30, [sp], #16
	.cfi_restore x30
	.cfi_restore x29
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
	.size	kp_user_call_on, . - kp_user_call_on

/*
 * A system call that was led here (passage.c); the breakpoint is served there.
 */
	function kp_user_passage_call
	svc	#0
place kp_user_passage_end
	brk	#0
	.size	kp_user_passage_call, . - kp_user_passage_call

/*
 * long kp_user_clone(flags, stack, tid, fn, arg): a thread that begins with
 * fn(arg), which never returns.  The kernel stores its number at tid, and 0
 * when it ends.  No C library: writer.c says why.
 */
	function kp_user_clone
	.cfi_startproc
	mov	x9, x3
	mov	x10, x4
	mov	x4, x2			/* where the 0 goes */
	mov	x3, #0
	mov	x8, #220
	svc	#0
	cbz	x0, 1f
	ret
	.cfi_undefined x30		/* nobody called the thread */
1:	mov	x29, #0
	mov	x30, #0
	mov	x0, x10
	blr	x9
	udf	#0
	.cfi_endproc
	.size	kp_user_clone, . - kp_user_clone

	.section .note.GNU-stack, "", @progbits
