/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * access.S - the instructions of the process host that cannot be C.
 *
 * Owns: the copy that may fault, whose range copy.c knows, instructions that are to fault in
 * the same way, a call on another stack, a system call that is led aside, and the beginning
 * of a thread of ours.
 */
	.section .text.kp_trap, "ax", %progbits

	.macro	function name
	.p2align 2
	.globl	\name
	.hidden	\name
	.type	\name, %function
\name:
	.endm
	.macro	place name
	.globl	\name
	.hidden	\name
\name:
	.endm

/* As long as both sides have it and so much is left: on with the next smaller one. */
	.macro	copy load, store, len
	andi	t1, t0, \len - 1
	bnez	t1, 2f
	li	t2, \len
	bltu	a2, t2, 2f
1:	\load	t3, 0(a1)
	\store	t3, 0(a0)
	addi	a1, a1, \len
	addi	a0, a0, \len
	addi	a2, a2, -\len
	bgeu	a2, t2, 1b
2:
	.endm

/*
 * int kp_user_copy(void *dst, const void *src, size_t len): 0 or -EFAULT.  In one access
 * where it can be: a breakpoint, a word.
 */
	function kp_user_copy
	.cfi_startproc
	or	t0, a0, a1
place kp_user_copy_begin
	copy	ld, sd, 8
	copy	lw, sw, 4
	copy	lhu, sh, 2
	copy	lbu, sb, 1
	li	a0, 0
	ret
/* What is to trap (reserved.c): as in a copy; 0 where it does not.  6 bytes each. */
place kp_user_reserved
	.irp	half, 0x9000, 0x9004, 0x9008, 0x900c, 0x400e, 0x400a, 0x4006, 0x4002
	.hword	\half
	c.li	a0, 0
	ret
	.endr
place kp_user_copy_end
place kp_user_copy_failed
	li	a0, -14
	ret
	.cfi_endproc
	.size	kp_user_copy, . - kp_user_copy

/* int kp_user_try(const void *code, void *scratch): call it, scratch being what s0 is. */
	function kp_user_try
	.cfi_startproc
	addi	sp, sp, -80
	.cfi_def_cfa_offset 80
	sd	ra, 72(sp)
	.cfi_offset ra, -8
	sd	s0, 64(sp)
	.cfi_offset s0, -16
	mv	s0, a1
	jalr	a0
	ld	ra, 72(sp)
	.cfi_restore ra
	ld	s0, 64(sp)
	.cfi_restore s0
	addi	sp, sp, 80
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
	.size	kp_user_try, . - kp_user_try

/* void kp_user_call_on(uintptr_t sp, void (*fn)(void *arg), void *arg) */
	function kp_user_call_on
	.cfi_startproc
	addi	sp, sp, -16
	.cfi_def_cfa_offset 16
	sd	ra, 8(sp)
	.cfi_offset ra, -8
	sd	s0, 0(sp)
	.cfi_offset s0, -16
	mv	s0, sp
	.cfi_def_cfa_register s0
	andi	sp, a0, -16
	mv	a0, a2
	jalr	a1
	mv	sp, s0
	.cfi_def_cfa_register sp
	ld	ra, 8(sp)
	.cfi_restore ra
	ld	s0, 0(sp)
	.cfi_restore s0
	addi	sp, sp, 16
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
	.size	kp_user_call_on, . - kp_user_call_on

/*
 * A system call that was led here (passage.c); the breakpoint is served there.
 */
	function kp_user_passage_call
	.word	0x00000073
place kp_user_passage_end
	.hword	0x9002
	.size	kp_user_passage_call, . - kp_user_passage_call

/*
 * long kp_user_clone(flags, stack, tid, fn, arg): a thread that begins with
 * fn(arg), which never returns.  The kernel stores its number at tid, and 0
 * when it ends.  No C library: writer.c says why.
 */
	function kp_user_clone
	.cfi_startproc
	mv	t3, a3
	mv	t4, a4
	mv	a4, a2			/* where the 0 goes */
	li	a3, 0
	li	a7, 220
	ecall
	beqz	a0, 1f
	ret
	.cfi_undefined ra		/* nobody called the thread */
1:	li	s0, 0
	li	ra, 0
	mv	a0, t4
	jalr	t3
	unimp
	.cfi_endproc
	.size	kp_user_clone, . - kp_user_clone

	.section .note.GNU-stack, "", %progbits
