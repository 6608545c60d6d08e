/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * keeps.S - registers before and after calls that keep them.
 *
 * Owns: filling those that a function keeps with numbers, spoiling them before a fault, and
 * the look at them afterwards: what no compiler may have a hand in; a function whose return
 * leads to a stub.  calls.c has the prototypes.
 */
#include "env_asm.h"
#include "asm.h"

	.text

#define FRAME	(ARGUMENTS + 16 * LONG)
#define SAVED	16, 17, 18, 19, 20, 21, 22, 23, 30

.macro	each_saved_at op
	.set	at, ARGUMENTS
	.irp	n, SAVED
	\op	$\n, at($29)
	.set	at, at + LONG
	.endr
	\op	$28, at($29)
	\op	$31, at + LONG($29)
.endm
#define AT_SP	(ARGUMENTS + 12 * LONG)

/* $2 = 1 if each is what fill has made of it; changes $3. */
.macro	fill
	.irp	n, SAVED
	li	$\n, 0x100 + \n
	.endr
	STORE	$29, AT_SP($29)
.endm
.macro	look
	li	$2, 1
	.irp	n, SAVED
	xori	$3, $\n, 0x100 + \n
	sltiu	$3, $3, 1
	and	$2, $2, $3
	.endr
	LOAD	$3, AT_SP($29)
	xor	$3, $3, $29
	sltiu	$3, $3, 1
	and	$2, $2, $3
.endm

/* bool guard_keeps(guard, fn): a guarded call of fn, which may be abandoned. */
function guard_keeps
	ADDI	$29, $29, -FRAME
	each_saved_at STORE
	fill
	call	kp_arch_guard_call
	look
	each_saved_at LOAD
	jr	$31
	ADDI	$29, $29, FRAME
end guard_keeps

/* A handler that spoils them all, and its stack pointer, and faults. */
function spoil_and_fault
	.irp	n, SAVED
	li	$\n, -1
	.endr
	ADDI	$29, $29, -256
	li	$31, 0
	li	$28, -1
	jr	$31
	lw	$4, 0($0)
end spoil_and_fault

/* long hooked(to, a): as a function does whose return address is to: returns a, spoiling all it may. */
function hooked
	move	$31, $4
	.irp	n, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25
	li	$\n, -1
	.endr
	move	$2, $5
	jr	$31
	ADDI	$3, $5, 1
end hooked

/*
 * long return_keeps(stub, a): call hooked so; the core leads its return to after.  Its result,
 * or 0: what a caller relies on is not what it was.
 */
function return_keeps
	ADDI	$29, $29, -FRAME
	each_saved_at STORE
	fill
	address	hooked
	jr	$25
	nop
	.globl	after
	.hidden	after
after:
	STORE	$2, AT_SP + LONG($29)
	ADDI	$24, $2, 1
	bne	$24, $3, 1f
	move	$24, $0
	address	after			/* ra is where the return went to */
	li	$24, 1
1:	look
	and	$2, $2, $24
	LOAD	$3, AT_SP + LONG($29)
	sltu	$2, $0, $2
	subu	$2, $0, $2
	and	$2, $2, $3
	each_saved_at LOAD
	jr	$31
	ADDI	$29, $29, FRAME
end return_keeps

#define FLOATS 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define KEPT	(ARGUMENTS + 160)
#define AT(n)	(ARGUMENTS + 8 + 4 * (n))
#define FCSR_GIVEN 2			/* round up */

/* bool keeping_keeps(void): all for floating point, across kp_arch_keeping of a spoiler. */
function keeping_keeps
	ADDI	$29, $29, -KEPT
	STORE	$31, ARGUMENTS($29)
	.irp	n, 20, 22, 24, 26, 28, 30
	sdc1	$f\n, AT(\n)($29)
	.endr
	.irp	n, FLOATS
	li	$2, 0x200 + \n
	mtc1	$2, $f\n
	.endr
	li	$2, FCSR_GIVEN
	ctc1	$2, $31
	li	$4, 4
	address	spoil_floats
	move	$5, $25
	move	$6, $29
	call	kp_arch_keeping
	cfc1	$2, $31
	andi	$2, $2, 3			/* a processor has fixed bits, too */
	xori	$2, $2, FCSR_GIVEN
	.irp	n, FLOATS
	mfc1	$3, $f\n
	xori	$3, $3, 0x200 + \n
	or	$2, $2, $3
	.endr
	lw	$3, ARGUMENTS + 152($29)	/* it was called with this, in round to nearest */
	sll	$1, $29, 0
	xor	$3, $3, $1
	or	$2, $2, $3
	ctc1	$0, $31
	.irp	n, 20, 22, 24, 26, 28, 30
	ldc1	$f\n, AT(\n)($29)
	.endr
	LOAD	$31, ARGUMENTS($29)
	sltiu	$2, $2, 1
	jr	$31
	ADDI	$29, $29, KEPT
end keeping_keeps

function spoil_floats
	cfc1	$2, $31
	andi	$2, $2, 3
	addu	$2, $2, $4
	sw	$2, ARGUMENTS + 152($4)
	.irp	n, FLOATS
	mtc1	$0, $f\n
	.endr
	li	$2, 1
	jr	$31
	ctc1	$2, $31
end spoil_floats

	.section .note.GNU-stack, "", @progbits
