/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * return.S - where hooked functions return to.
 *
 * Owns: the common part of all return stubs, and the stubs themselves where the host
 * wants them ready made.  env_asm.h of the host supplies KP_CFI(directive), KP_RET, KP_REGPARM
 * (entry.S), KP_FRAMES (1: unwinders follow ebp), KP_VECTORS,
 * and with it KP_FIND_ROOM(cramped), which keeps ebx, and KP_CRAMPED_RETURN; and
 * KP_RETURN_STUBS (their number, or 0).
 *
 * Preserved for the caller: all general registers and the flags.  The engine uses no
 * other registers; what a handler uses is kept around its call, see kp_arch_keeping.
 */
#include "env_asm.h"
#include "frame_asm.h"

	.section .text.kp_trap, "ax", @progbits

/*
 * Called by a stub with the stack otherwise as after the function's return: which is what
 * unwinders are told, and the stub's own words tell the rest.
 */
	.p2align 4
	.globl kp_arch_return_entry
	.hidden kp_arch_return_entry
	.type kp_arch_return_entry, @function
kp_arch_return_entry:
	KP_CFI(.cfi_startproc)
	push_machine
	push	$0
	push_general
	KP_CFI(.cfi_def_cfa_offset FRAME_STACK)
	mov	FRAME_RA(%esp), %eax
	mov	%eax, FRAME_IP(%esp)
	mov	%esp, %ebx
	KP_CFI(.cfi_def_cfa_register ebx)
	KP_CFI(.cfi_offset ebx, FRAME_BX - FRAME_STACK)
	each_kept keep_word
	usual_flags
	/* Nothing promises that the caller's stack is aligned. */
	and	$-16, %esp
#if KP_VECTORS
	KP_FIND_ROOM(cramped)
#endif
#if KP_FRAMES
	/* As if the stub had called a function; its address stands for the real caller's. */
	push	FRAME_RA(%ebx)
	push	%ebp
	mov	%esp, %ebp
#endif
	call_with_frame kp_core_on_return
returned:
	mov	FRAME_IP(%ebx), %ecx
	mov	%ecx, FRAME_RA(%ebx)
	pop_general
	lea	FRAME_FLAGS - FRAME_DS(%esp), %esp
	popf
	lea	FRAME_RA - FRAME_SP(%esp), %esp
	KP_RET

#if KP_VECTORS
cramped:
	call_with_frame KP_CRAMPED_RETURN
	jmp	returned
#endif

/*
 * Not called: kp_arch_guard_return lets an abandoned handler come here, frame in ebx; what
 * was below its words is garbage.  What it has made of the registers is undone.
 */
	.globl kp_arch_return_abort
	.hidden kp_arch_return_abort
kp_arch_return_abort:
	each_kept put_back
	lea	-KEPT_LEN(%ebx), %esp
	and	$-16, %esp
#if KP_VECTORS
	/* There was room before. */
	KP_FIND_ROOM(1f)
1:
#endif
	call_with_frame kp_core_on_return_abort
	jmp	returned
	KP_CFI(.cfi_endproc)
	.size kp_arch_return_entry, . - kp_arch_return_entry

#if KP_RETURN_STUBS
/*
 * Ready-made stubs under one unwind entry.  The layout is retaddr.c's, with the distance
 * to the stub's entry of kp_arch_return_nodes in front.
 *
 * For an unwinder that stands at the stub, the word below its stack pointer names the
 * stub: it is the return address that the function has, or what the stub's call pushed.
 *
 *   esp:    esp
 *   cfa:    esp + 1, since unwinders tell frames by it: the caller's is esp
 *   ra at:  the node
 */
	.p2align 4
	.globl kp_arch_return_stubs
	.hidden kp_arch_return_stubs
	.type kp_arch_return_stubs, @function
kp_arch_return_stubs:
	.cfi_startproc simple
	.cfi_def_cfa esp, 1
	/* val_expression esp: breg4 0 */
	.cfi_escape 0x16, 4, 2, 0x74, 0x00
	/* expression eip: breg4 -4; deref; const1s -16; and; dup; deref; plus; deref */
	.cfi_escape 0x10, 8, 10, 0x74, 0x7c, 0x06, 0x09, 0xf0, 0x1a, 0x12, 0x06, 0x22, 0x06
	.set	stub, 0
	.rept	KP_RETURN_STUBS
0:	.long	kp_arch_return_nodes + 4 * stub - 0b
	.fill	5, 1, 0xcc
	call	kp_arch_return_entry
	ret
	int3
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
	.skip	4 * KP_RETURN_STUBS
	.size kp_arch_return_nodes, 4 * KP_RETURN_STUBS
#endif

	.section .note.GNU-stack, "", @progbits
