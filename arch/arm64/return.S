/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * return.S - where hooked functions return to.
 *
 * Owns: the common part of all return stubs, and the stubs themselves where the host
 * wants them ready made.  env_asm.h of the host supplies KP_CFI(directive), KP_VECTORS,
 * and with it KP_FIND_ROOM(cramped), as for detour_entry.S, and KP_CRAMPED_RETURN; and
 * KP_RETURN_STUBS (their number, or 0).
 *
 * Preserved for the caller: all general registers and the flags.  The link register is
 * what a return leaves there: where it went to.  The engine uses no other registers;
 * what a handler uses is kept around its call, see kp_arch_keeping.
 */
#include "env_asm.h"
#include "frame_asm.h"

	.section .text.kp_trap, "ax", %progbits

/*
 * Called by a stub with the stack otherwise as after the function's return.  Where it
 * goes on is known to the core alone: unwinders find an end here.
 */
	.p2align 6
	.globl kp_arch_return_entry
	.hidden kp_arch_return_entry
	.type kp_arch_return_entry, %function
kp_arch_return_entry:
	KP_CFI(.cfi_startproc)
	KP_CFI(.cfi_undefined 30)
	stp	x29, x30, [sp, #-RETURN_LEN]!
	KP_CFI(.cfi_def_cfa_offset RETURN_LEN)
	stp	x0, x1, [sp, #KEPT_X0]
	stp	x2, x3, [sp, #KEPT_X0 + 16]
	stp	x4, x5, [sp, #KEPT_X0 + 32]
	stp	x6, x7, [sp, #KEPT_X0 + 48]
	stp	x19, x20, [sp, #KEPT_X19]
	stp	x21, x22, [sp, #KEPT_X19 + 16]
	stp	x23, x24, [sp, #KEPT_X19 + 32]
	stp	x25, x26, [sp, #KEPT_X19 + 48]
	stp	x27, x28, [sp, #KEPT_X19 + 64]
	stp	x16, x17, [sp, #FRAME_X(16)]
	store_general
	add	x2, sp, #RETURN_LEN
	stp	x29, x2, [sp, #KEPT_X19 + 80]
	mrs	x3, nzcv
	kp_state x3, x4
	str	x3, [sp, #KEPT_PSTATE]
	stp	x30, x3, [sp, #FRAME_PC]
	str	x2, [sp, #FRAME_SP]
	mov	x19, sp
	mov	x29, sp
	KP_CFI(.cfi_def_cfa x19, RETURN_LEN)
	KP_CFI(.cfi_offset 19, KEPT_X19 - RETURN_LEN)
	KP_CFI(.cfi_offset 29, -RETURN_LEN)
#if KP_VECTORS
	KP_FIND_ROOM(cramped)
#endif
	add	x0, x19, #FRAME_REGS
	bl	kp_core_on_return
returned:
	mov	sp, x19
	ldr	x0, [sp, #FRAME_PSTATE]
	msr	nzcv, x0
	ldr	x29, [sp, #FRAME_X(29)]
	ldr	x30, [sp, #FRAME_X(30)]
	ldr	x16, [sp, #FRAME_PC]
	sub	x17, x16, x30
	cbnz	x17, odd
	load_general
	add	sp, sp, #RETURN_LEN
	ret

	/*
	 * A handler has changed one of the two.  Any call may go by way of code of the
	 * linker's, so that nobody counts on x16 after one.
	 */
odd:
	load_general
	ldr	x16, [sp, #FRAME_PC]
	add	sp, sp, #RETURN_LEN
	ret	x16

#if KP_VECTORS
cramped:
	add	x0, x19, #FRAME_REGS
	bl	KP_CRAMPED_RETURN
	b	returned
#endif

/*
 * Not called: kp_arch_guard_return lets an abandoned handler come here, frame in x19.
 * What it has made of the registers is undone.
 */
	.globl kp_arch_return_abort
	.hidden kp_arch_return_abort
kp_arch_return_abort:
	.irp	off, 0,16,32,48
	ldp	x0, x1, [sp, #KEPT_X0 + \off]
	stp	x0, x1, [sp, #FRAME_X(0) + \off]
	.endr
	.irp	off, 0,16,32,48,64
	ldp	x0, x1, [sp, #KEPT_X19 + \off]
	stp	x0, x1, [sp, #FRAME_X(19) + \off]
	.endr
	ldp	x0, x1, [sp, #KEPT_X19 + 80]
	str	x0, [sp, #FRAME_X(29)]
	str	x1, [sp, #FRAME_SP]
	ldr	x0, [sp, #KEPT_PSTATE]
	str	x0, [sp, #FRAME_PSTATE]
#if KP_VECTORS
	/* There was room before. */
	KP_FIND_ROOM(1f)
1:
#endif
	add	x0, x19, #FRAME_REGS
	bl	kp_core_on_return_abort
	b	returned
	KP_CFI(.cfi_endproc)
	.size kp_arch_return_entry, . - kp_arch_return_entry

#if KP_RETURN_STUBS
/*
 * Ready-made stubs under one unwind entry.  The layout is retaddr.c's, with the distance
 * to the stub's entry of kp_arch_return_nodes in front.
 *
 * An unwinder that stands at the stub has the link register of the function that is to
 * return there, as that one has saved it: its address says which stub it is.  It may be
 * signed, in the bits above an address's; so addresses have no more than 48, or nothing
 * is signed (kp_stubs_unwind).
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
	/* val_expression sp: breg31 0 */
	.cfi_escape 0x16, 31, 2, 0x8f, 0x00
	/* expression lr: breg30 0; const8u 0xfffffffffff0; and; dup; deref_size 4; plus; deref */
	.cfi_escape 0x10, 30, 17, 0x8e, 0x00, 0x0e, 0xf0, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00, 0x00
	.cfi_escape 0x1a, 0x12, 0x94, 0x04, 0x22, 0x06
	.set	stub, 0
	.rept	KP_RETURN_STUBS
0:	.long	kp_arch_return_nodes + 8 * stub - 0b
	bl	kp_arch_return_entry
	.long	0, 0
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
