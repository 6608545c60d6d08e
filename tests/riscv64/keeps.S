/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * keeps.S - registers before and after calls that keep them.
 *
 * Owns: filling those that a function keeps with numbers, spoiling them before a fault, and
 * the look at them afterwards: what no compiler may have a hand in.  calls.c has the
 * prototypes.
 */
	.text

#define FRAME 128
#define SAVED 0,1,2,3,4,5,6,7,8,9,10,11

/* bool guard_keeps(guard a0, fn a1): a guarded call of fn, which may be abandoned. */
	.globl	guard_keeps
guard_keeps:
	addi	sp, sp, -FRAME
	sd	ra, 0(sp)
	.irp	n, SAVED
	sd	s\n, 8 + 8 * \n(sp)
	.endr
	sd	sp, 112(sp)
	.irp	n, SAVED
	li	s\n, 0x100 + \n
	.endr
	call	kp_arch_guard_call
	li	a0, 1
	.irp	n, SAVED
	li	t0, 0x100 + \n
	beq	s\n, t0, 1f
	li	a0, 0
1:
	.endr
	ld	t0, 112(sp)
	beq	sp, t0, 1f
	li	a0, 0
1:
	ld	ra, 0(sp)
	.irp	n, SAVED
	ld	s\n, 8 + 8 * \n(sp)
	.endr
	addi	sp, sp, FRAME
	ret

/* A handler that spoils them all, and its stack pointer, and faults. */
	.globl	spoil_and_fault
spoil_and_fault:
	.irp	n, SAVED
	li	s\n, -1
	.endr
	addi	sp, sp, -256
	li	ra, 0
	ld	a0, 0(zero)
	ret

#define FLOATS 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
#define FCSR_GIVEN 0x5f			/* round up, all flags */

/* bool keeping_keeps(void): all for floating point, across kp_arch_keeping of a spoiler. */
	.globl	keeping_keeps
keeping_keeps:
	addi	sp, sp, -112
	sd	ra, 0(sp)
	.irp	n, SAVED
	fsd	fs\n, 8 + 8 * \n(sp)
	.endr
	.irp	n, FLOATS
	li	t0, 0x200 + \n
	fmv.d.x	f\n, t0
	.endr
	li	t0, FCSR_GIVEN
	fscsr	t0
	li	a0, 4
	lla	a1, spoil_floats
	mv	a2, sp
	call	kp_arch_keeping
	frcsr	t0
	li	t1, FCSR_GIVEN
	sub	a0, t0, t1
	.irp	n, FLOATS
	li	t0, 0x200 + \n
	fmv.x.d	t1, f\n
	sub	t1, t1, t0
	or	a0, a0, t1
	.endr
	ld	t0, 104(sp)		/* it was called with this, in round to nearest */
	sub	t0, t0, sp
	or	a0, a0, t0
	seqz	a0, a0
	fscsr	zero
	ld	ra, 0(sp)
	.irp	n, SAVED
	fld	fs\n, 8 + 8 * \n(sp)
	.endr
	addi	sp, sp, 112
	ret

spoil_floats:
	frrm	t0
	add	t0, t0, a0
	sd	t0, 104(a0)
	.irp	n, FLOATS
	fmv.d.x	f\n, zero
	.endr
	li	t0, 0x21
	fscsr	t0
	ret

	.section .note.GNU-stack, "", %progbits
