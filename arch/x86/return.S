/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * return.S - where hooked functions return to.
 *
 * Owns: the common part of all return stubs, and the stubs themselves where
 * the host wants them ready made.  env_asm.h of the host supplies KP_CFI,
 * KP_RET, KP_NONSTANDARD(function), KP_VECTORS (1: vector registers are live,
 * and code wants its stack aligned) and KP_RETURN_STUBS (their number, or 0).
 *
 * Preserved for the caller: all general registers and the flags.  The engine
 * uses no other registers; what a handler uses is kept around its call, see
 * kp_arch_keeping.
 */
#include "env_asm.h"
#include "frame_asm.h"

/* All but the arithmetic flags and the reserved ones: CF, PF, AF, ZF, SF, OF. */
#define OTHERS	0x3ff700

	.section .text.kp_trap, "ax", @progbits

/*
 * Called by a stub with the stack otherwise as after the function's return.
 * The word that the call pushed becomes the real return address.
 *
 *   STACK   caller's stack
 *   RA      in: address in the stub; out: where to continue
 *   FLAGS   flags
 *   KEPT    what a caller relies on, for when a handler has to be abandoned
 *   0       struct pt_regs
 */
#define KEPT	REGS_LEN
#define KEPT_LEN 64
#define FLAGS	(KEPT + KEPT_LEN)
#define RA	(FLAGS + 8)
#define STACK	(RA + 8)

	.p2align 4
	.globl kp_arch_return_entry
	.hidden kp_arch_return_entry
	.type kp_arch_return_entry, @function
kp_arch_return_entry:
	KP_NO_TARGET
	KP_CFI(.cfi_startproc)
	pushfq
	KP_CFI(.cfi_adjust_cfa_offset 8)
	lea	-FLAGS(%rsp), %rsp
	KP_CFI(.cfi_adjust_cfa_offset FLAGS)
	store_general
	KP_CFI(.cfi_rel_offset rbx, RBX)
	mov	%rax, KEPT + 0(%rsp)
	mov	%rdx, KEPT + 8(%rsp)
	mov	%rbx, KEPT + 16(%rsp)
	mov	%rbp, KEPT + 24(%rsp)
	mov	%r12, KEPT + 32(%rsp)
	mov	%r13, KEPT + 40(%rsp)
	mov	%r14, KEPT + 48(%rsp)
	mov	%r15, KEPT + 56(%rsp)
	movq	$-1, ORIG_AX(%rsp)
	mov	RA(%rsp), %rax
	mov	%rax, RIP(%rsp)
	mov	%cs, %eax
	mov	%rax, CS(%rsp)
	mov	FLAGS(%rsp), %rax
	mov	%rax, EFLAGS(%rsp)
	usual_flags
	lea	STACK(%rsp), %rax
	mov	%rax, RSP(%rsp)
	mov	%ss, %eax
	mov	%rax, SS(%rsp)

#if KP_VECTORS
	/* Nothing promises that the caller's stack is aligned. */
	mov	%rsp, %rbx
	KP_CFI(.cfi_def_cfa_register rbx)
	and	$-16, %rsp
	KP_FIND_ROOM(cramped)
	mov	%rbx, %rdi
#else
	mov	%rsp, %rdi
#endif
	call	kp_core_on_return
returned:
#if KP_VECTORS
	mov	%rbx, %rsp
	KP_CFI(.cfi_def_cfa_register rsp)
#endif

	mov	RIP(%rsp), %rax
	mov	%rax, RA(%rsp)
	/*
	 * popfq is slow: where none of the others has changed, OF comes from an
	 * overflow and the arithmetic flags from ah.
	 */
	mov	EFLAGS(%rsp), %rax
	mov	FLAGS(%rsp), %rcx
	mov	%rax, FLAGS(%rsp)
	xor	%eax, %ecx
	test	$OTHERS, %ecx
	jnz	slow_flags
	test	$UNUSUAL, %eax
	jnz	slow_flags
	mov	%eax, %ecx
	shr	$11, %ecx
	and	$1, %ecx
	mov	%al, %ah
	mov	%cl, %al
	add	$127, %al
	sahf
	KP_CFI(.cfi_remember_state)
	load_general
	KP_CFI(.cfi_restore rbx)
	lea	RA(%rsp), %rsp
	KP_CFI(.cfi_adjust_cfa_offset -RA)
	KP_RET
	KP_CFI(.cfi_restore_state)

slow_flags:
	load_general
	KP_CFI(.cfi_restore rbx)
	lea	FLAGS(%rsp), %rsp
	KP_CFI(.cfi_adjust_cfa_offset -FLAGS)
	popfq
	KP_CFI(.cfi_adjust_cfa_offset -8)
	KP_RET
	KP_CFI(.cfi_endproc)
	.size kp_arch_return_entry, . - kp_arch_return_entry

/*
 * Not called: kp_arch_guard_return lets an abandoned handler come here, frame in
 * rbx; what was below it is garbage.  What it has made of the registers is
 * undone.
 */
.macro	undo	at, reg
	mov	\at(%rbx), %rax
	mov	%rax, \reg(%rbx)
.endm
	.p2align 4
	.globl kp_arch_return_abort
	.hidden kp_arch_return_abort
	.type kp_arch_return_abort, @function
kp_arch_return_abort:
	KP_NO_TARGET
	KP_CFI(.cfi_startproc)
	KP_CFI(.cfi_def_cfa rbx, STACK)
	KP_CFI(.cfi_offset rbx, KEPT + 16 - STACK)
	undo	KEPT + 0, RAX
	undo	KEPT + 8, RDX
	undo	KEPT + 16, RBX
	undo	KEPT + 24, RBP
	undo	KEPT + 32, R12
	undo	KEPT + 40, R13
	undo	KEPT + 48, R14
	undo	KEPT + 56, R15
	undo	FLAGS, EFLAGS
	mov	%rbx, %rsp
#if KP_VECTORS
	and	$-16, %rsp
	/* There was room before. */
	KP_FIND_ROOM(1f)
1:
#endif
	mov	%rbx, %rdi
	call	kp_core_on_return_abort
	jmp	returned
#if KP_VECTORS
cramped:
	mov	%rbx, %rdi
	call	KP_CRAMPED_RETURN
	jmp	returned
#endif
	KP_CFI(.cfi_endproc)
	.size kp_arch_return_abort, . - kp_arch_return_abort

	KP_NONSTANDARD(kp_arch_return_abort)

#if KP_RETURN_STUBS
/*
 * Ready-made stubs under one unwind entry.  The layout is retaddr.c's, with
 * the distance to the stub's entry of kp_arch_return_nodes in front.
 *
 * For an unwinder that stands at the stub, the word below its stack pointer is
 * the return address that the hooked function had or used, so it names the
 * stub, that the table's entry, that the node, and that the real address:
 *
 *   ra at:  s = *(rsp - 8) & -16;  *(s + *(u32 *)s)
 *
 * The frame has no size: the CFA, which has to differ from that of the hooked
 * function's frame, is rsp + 1, and rsp stays rsp.
 */
	.p2align 4
	.globl kp_arch_return_stubs
	.hidden kp_arch_return_stubs
	.type kp_arch_return_stubs, @function
kp_arch_return_stubs:
	.cfi_startproc simple
	.cfi_def_cfa rsp, 1
	/* val_expression rsp: breg7 0 */
	.cfi_escape 0x16, 7, 2, 0x77, 0x00
	/*
	 * expression ra: breg7 -8; deref; const1s -16; and; dup;
	 * deref_size 4; plus; deref
	 */
	.cfi_escape 0x10, 16, 11, 0x77, 0x78, 0x06, 0x09, 0xf0, 0x1a, 0x12, 0x94, 0x04, 0x22, 0x06
	.set	stub, 0
	.rept	KP_RETURN_STUBS
0:	.long	kp_arch_return_nodes + 8 * stub - 0b
	int3
	int3
	int3
	int3
	call	kp_arch_return_entry
	int3
	int3
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
	.skip	8 * KP_RETURN_STUBS
	.size kp_arch_return_nodes, 8 * KP_RETURN_STUBS
#endif

	.section .note.GNU-stack, "", @progbits
