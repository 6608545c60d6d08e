/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * keeps.S - registers before and after a guarded call.
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

	.section .note.GNU-stack, "", %progbits
