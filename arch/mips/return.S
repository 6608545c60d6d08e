/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * return.S - where hooked functions return to.
 *
 * Owns: the common part of all return stubs, and the stubs themselves where the host
 * wants them ready made.  env_asm.h of the host supplies KP_CFI(directive), KP_VECTORS, and
 * with it KP_FIND_ROOM(cramped), which keeps $17, and KP_CRAMPED_RETURN; and
 * KP_RETURN_STUBS (their number, or 0).
 *
 * Preserved for the caller: all general registers but at and t9, which a linker's code may
 * change in any call.  The link register is what a return leaves there: where it went to.
 * The engine uses no other registers; what a handler uses is kept around its call, see
 * kp_arch_keeping.
 *
 * A call's room for arguments is what struct pt_regs begins with, so that an unwinder that
 * goes by the first instructions finds the frame; on another stack it is KP_FIND_ROOM's.
 */
#include "env_asm.h"
#include "frame_asm.h"

	.section .text.kp_trap, "ax", @progbits

/*
 * Reached from a stub with the stack otherwise as after the function's return.  Where it
 * goes on is known to the core alone: unwinders find an end here.
 */
function kp_arch_return_entry
	KP_CFI(.cfi_undefined 31)
	ADDI	$29, $29, -RETURN_LEN
	KP_CFI(.cfi_def_cfa_offset RETURN_LEN)
	each_other STORE
	each_kept store_both
	STORE	$0, FRAME_REG(0)($29)
	STORE	$1, FRAME_REG(1)($29)
	STORE	$0, FRAME_REG(26)($29)
	STORE	$0, FRAME_REG(27)($29)
	STORE	$25, FRAME_REG(25)($29)
	ADDI	$2, $29, RETURN_LEN
	STORE	$2, FRAME_REG(29)($29)
	STORE	$31, FRAME_REG(31)($29)
	STORE	$31, FRAME_EPC($29)
#if __mips_isa_rev < 6
	mfhi	$2
	mflo	$3
	STORE	$2, FRAME_HI($29)
	STORE	$3, FRAME_LO($29)
#endif
#ifdef KP_STATE
	KP_STATE($2)
	STORE	$2, FRAME_STATUS($29)
#else
	STORE	$0, FRAME_STATUS($29)
#endif
	STORE	$0, FRAME_BADVADDR($29)
	STORE	$0, FRAME_CAUSE($29)
	move	$17, $29
	KP_CFI(.cfi_def_cfa 17, RETURN_LEN)
	KP_CFI(.cfi_offset 17, FRAME_REG(17) - RETURN_LEN)
#if KP_VECTORS
	KP_FIND_ROOM(.Lcramped)
#endif
	move	$4, $17
	call	kp_core_on_return
.Lreturned:
	move	$29, $17
#if __mips_isa_rev < 6
	LOAD	$2, FRAME_HI($29)
	LOAD	$3, FRAME_LO($29)
	mthi	$2
	mtlo	$3
#endif
	LOAD	$25, FRAME_EPC($29)
	LOAD	$31, FRAME_REG(31)($29)
	LOAD	$1, FRAME_REG(1)($29)
	each_other LOAD
	each_kept load_one
	jr	$25
	ADDI	$29, $29, RETURN_LEN

#if KP_VECTORS
.Lcramped:
	move	$4, $17
	call	KP_CRAMPED_RETURN
	b	.Lreturned
	nop
#endif

/*
 * Not called: kp_arch_guard_return lets an abandoned handler come here, frame in $17 and
 * the stack pointer.  What it has made of the registers is undone.
 */
	.globl kp_arch_return_abort
	.hidden kp_arch_return_abort
kp_arch_return_abort:
	each_kept put_back
	ADDI	$2, $29, RETURN_LEN
	STORE	$2, FRAME_REG(29)($29)
#if KP_VECTORS
	/* There was room before. */
	KP_FIND_ROOM(1f)
1:
#endif
	move	$4, $17
	call	kp_core_on_return_abort
	b	.Lreturned
	nop
end kp_arch_return_entry

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
	.p2align 5
	.globl kp_arch_return_stubs
	.hidden kp_arch_return_stubs
	.type kp_arch_return_stubs, @function
kp_arch_return_stubs:
	.cfi_startproc simple
	.cfi_def_cfa 29, 9
	/* val_expression sp: breg29 0 */
	.cfi_escape 0x16, 29, 2, 0x8d, 0x00
	/* expression ra: breg31 0; const1s -32; and; dup; deref_size 4; plus; deref */
	.cfi_escape 0x10, 31, 10, 0x8f, 0x00, 0x09, 0xe0, 0x1a, 0x12, 0x94, 0x04, 0x22, 0x06
	.set	stub, 0
	.rept	KP_RETURN_STUBS
0:	.word	kp_arch_return_nodes + LONG * stub - 0b
	.word	kp_arch_return_entry - 1f
	bal	1f
	nop
1:	lw	$25, -12($31)
	ADD	$25, $25, $31
	jr	$25
	nop
	.set	stub, stub + 1
	.endr
	.cfi_endproc
	.size kp_arch_return_stubs, . - kp_arch_return_stubs

	.bss
	.p2align 4
	.globl kp_arch_return_nodes
	.hidden kp_arch_return_nodes
	.type kp_arch_return_nodes, @object
kp_arch_return_nodes:
	.skip	LONG * KP_RETURN_STUBS
	.size kp_arch_return_nodes, LONG * KP_RETURN_STUBS
#endif

	.section .note.GNU-stack, "", @progbits
