/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * return.S - where hooked functions return to.
 *
 * Owns: the common part of all return stubs, and the stubs themselves where the host
 * wants them ready made.  env_asm.h of the host supplies KP_CFI(directive), kp_state reg,
 * scratch (the processor's state, as handlers see it), KP_VECTORS, and with it
 * KP_FIND_ROOM(cramped), which keeps s1, and KP_CRAMPED_RETURN; and
 * KP_RETURN_STUBS (their number, or 0).
 *
 * Preserved for the caller: all general registers.  The link register is what a return
 * leaves there: where it went to.  The engine uses no other registers; what a handler uses
 * is kept around its call, see kp_arch_keeping.
 */
#include "env_asm.h"
#include "frame_asm.h"

	.section .text.kp_trap, "ax", %progbits
	.option	norelax

/*
 * Called by a stub with the stack otherwise as after the function's return.  Where it
 * goes on is known to the core alone: unwinders find an end here.
 */
	.p2align 4
	.globl kp_arch_return_entry
	.hidden kp_arch_return_entry
	.type kp_arch_return_entry, %function
kp_arch_return_entry:
	KP_CFI(.cfi_startproc)
	KP_CFI(.cfi_undefined ra)
	addi	sp, sp, -RETURN_LEN
	KP_CFI(.cfi_def_cfa_offset RETURN_LEN)
	sd	t0, FRAME_X(5)(sp)
	each_other sd
	each_kept store_both
	addi	t0, sp, RETURN_LEN
	sd	t0, FRAME_X(2)(sp)
	sd	ra, FRAME_X(1)(sp)
	sd	ra, FRAME_PC(sp)
	kp_state t0, t1
	sd	t0, FRAME_STATUS(sp)
	sd	zero, FRAME_BADADDR(sp)
	sd	zero, FRAME_CAUSE(sp)
	sd	a0, FRAME_ORIG_A0(sp)
	sd	s0, RETURN_LEN - 16(sp)
	sd	ra, RETURN_LEN - 8(sp)
	mv	s1, sp
	addi	s0, sp, RETURN_LEN
	KP_CFI(.cfi_def_cfa s1, RETURN_LEN)
	KP_CFI(.cfi_offset s0, FRAME_X(8) - RETURN_LEN)
	KP_CFI(.cfi_offset s1, FRAME_X(9) - RETURN_LEN)
#if KP_VECTORS
	KP_FIND_ROOM(cramped)
#endif
	mv	a0, s1
	call	kp_core_on_return
returned:
	mv	sp, s1
	ld	ra, FRAME_X(1)(sp)
	ld	t1, FRAME_PC(sp)
	bne	t1, ra, odd
	each_other ld
	each_kept load_one
	ld	t0, FRAME_X(5)(sp)
	addi	sp, sp, RETURN_LEN
	ret

	/*
	 * A handler has changed one of the two.  Any call may go by way of code of the
	 * linker's, so that nobody counts on t1 after one.
	 */
odd:
	each_other ld
	each_kept load_one
	ld	t0, FRAME_X(5)(sp)
	ld	t1, FRAME_PC(sp)
	addi	sp, sp, RETURN_LEN
	jr	t1

#if KP_VECTORS
cramped:
	mv	a0, s1
	call	KP_CRAMPED_RETURN
	j	returned
#endif

/*
 * Not called: kp_arch_guard_return lets an abandoned handler come here, frame in s1 and sp.
 * What it has made of the registers is undone.
 */
	.globl kp_arch_return_abort
	.hidden kp_arch_return_abort
kp_arch_return_abort:
	each_kept put_back
	addi	s0, sp, RETURN_LEN
	sd	s0, FRAME_X(2)(sp)
#if KP_VECTORS
	/* There was room before. */
	KP_FIND_ROOM(1f)
1:
#endif
	mv	a0, s1
	call	kp_core_on_return_abort
	j	returned
	KP_CFI(.cfi_endproc)
	.size kp_arch_return_entry, . - kp_arch_return_entry

#if KP_RETURN_STUBS
/*
 * Ready-made stubs under one unwind entry.  The layout is retaddr.c's, with the distance
 * to the stub's entry of kp_arch_return_nodes in front.
 *
 * An unwinder that stands at the stub has the link register of the function that is to
 * return there, as that one has saved it: its address says which stub it is.
 *
 *   sp:     sp
 *   cfa:    sp + 9, since unwinders tell frames by it: the caller's is sp
 *   ra at:  the node
 */
	.p2align 4
	.globl kp_arch_return_stubs
	.hidden kp_arch_return_stubs
	.type kp_arch_return_stubs, %function
kp_arch_return_stubs:
	.cfi_startproc simple
	.cfi_def_cfa sp, 9
	/* val_expression sp: breg2 0 */
	.cfi_escape 0x16, 2, 2, 0x72, 0x00
	/* expression ra: breg1 0; const1s -16; and; dup; deref_size 4; plus; deref */
	.cfi_escape 0x10, 1, 10, 0x71, 0x00, 0x09, 0xf0, 0x1a, 0x12, 0x94, 0x04, 0x22, 0x06
	.set	stub, 0
	.rept	KP_RETURN_STUBS
0:	.long	kp_arch_return_nodes + 8 * stub - 0b
1:	auipc	ra, %pcrel_hi(kp_arch_return_entry)
	jalr	ra, %pcrel_lo(1b)(ra)
	.long	0
	.set	stub, stub + 1
	.endr
	.cfi_endproc
	.size kp_arch_return_stubs, . - kp_arch_return_stubs

	.bss
	.p2align 4
	.globl kp_arch_return_nodes
	.hidden kp_arch_return_nodes
	.type kp_arch_return_nodes, %object
kp_arch_return_nodes:
	.skip	8 * KP_RETURN_STUBS
	.size kp_arch_return_nodes, 8 * KP_RETURN_STUBS
#endif

	.section .note.GNU-stack, "", %progbits
