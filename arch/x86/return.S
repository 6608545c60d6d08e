/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * return.S - where hooked functions return to.
 *
 * Owns: the common part of all return stubs, and the stubs themselves where
 * the host wants them ready made.  env_asm.h of the host supplies KP_CFI,
 * KP_RET, KP_NONSTANDARD(function), KP_CS, KP_SS, KP_VECTORS (1: vector registers
 * are live, and code wants its stack aligned), KP_BALANCED (1: the way to the
 * caller is through the stub, so that each ret is where the processor expects it),
 * KP_FRAMES (1: unwinders follow rbp)
 * and KP_RETURN_STUBS (their number, or 0).
 *
 * Preserved for the caller: all general registers and the flags.  The engine
 * uses no other registers; what a handler uses is kept around its call, see
 * kp_arch_keeping.  Where there is nothing to do but to call one lean handler
 * (port/arch.h), only what a call may change is saved.
 */
#include "env_asm.h"
#include "frame_asm.h"
#include "return_asm.h"

/* All but the arithmetic flags and the reserved ones: CF, PF, AF, ZF, SF, OF. */
#define OTHERS	0x3ff700

	.section .text.kp_trap, "ax", @progbits

/*
 * Called by a stub with the stack otherwise as after the function's return.
 * The word that the call pushed becomes the real return address.
 *
 *   STACK   caller's stack
 *   RA      in: address in the stub; out: where to continue
 *   BACK    balanced: the address in the stub
 *   0       struct pt_regs.  While a lean handler runs, what it neither finds nor
 *           changes is not there; ip is
 *   -72     KEPT_...: what a caller relies on, for when a handler has to be
 *           abandoned; not while a lean one runs
 */
#if KP_BALANCED
#define BACK	REGS_LEN
#define RA	(BACK + 8)
#else
#define RA	REGS_LEN
#endif
#define STACK	(RA + 8)
/* retaddr.c's stub: from its beginning to where its call returns to. */
#define STUB_BACK	14
#define KEPT_LEN	72
#define KEPT_FLAGS	(-KEPT_LEN)

/*
 * For unwinders this is called by the stub: balanced, by the word at BACK, which
 * is the top of the stack that they find there.
 */
#if KP_BALANCED
#define CFA	RA
#else
#define CFA	STACK
#endif

.macro	push_saved reg, at
	push	%\reg
	KP_CFI(.cfi_adjust_cfa_offset 8)
	KP_CFI(.cfi_rel_offset \reg, 0)
.endm

/* Each push of a word that stands at this offset from the frame. */
.macro	keep	nr, at
	push	\at + 8 * \nr(%rsp)
	KP_CFI(.cfi_adjust_cfa_offset 8)
.endm

.macro	keep_words
	keep	0, RAX
	keep	1, RDX
	keep	2, RBX
	keep	3, RBP
	keep	4, R12
	keep	5, R13
	keep	6, R14
	keep	7, R15
	keep	8, EFLAGS
	lea	KEPT_LEN(%rsp), %rbx
	KP_CFI(.cfi_def_cfa rbx, CFA)
.endm

/* After a lean handler, to the address at at; OF is clear. */
.macro	lean_exit at
	mov	EFLAGS(%rsp), %ah
	sahf
	KP_CFI(.cfi_remember_state)
	lea	RBX(%rsp), %rsp
	KP_CFI(.cfi_adjust_cfa_offset -RBX)
	.irp	reg, rbx, r11, r10, r9, r8, rax, rcx, rdx, rsi, rdi
	pop	%\reg
	KP_CFI(.cfi_adjust_cfa_offset -8)
	KP_CFI(.cfi_restore \reg)
	.endr
	lea	\at - ORIG_AX(%rsp), %rsp
	KP_CFI(.cfi_def_cfa_offset 8)
	KP_RET_FLAGS
	KP_CFI(.cfi_restore_state)
.endm

/*
 * The same with the whole frame.  popfq is slow: where none of the others has
 * changed, OF comes from an overflow and the arithmetic flags from ah.
 */
.macro	whole_exit at
	mov	EFLAGS(%rsp), %rax
	mov	KEPT_FLAGS(%rsp), %rcx
	xor	%eax, %ecx
	test	$OTHERS, %ecx
	jnz	slow\@
	test	$UNUSUAL, %eax
	jnz	slow\@
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
	lea	\at(%rsp), %rsp
	KP_CFI(.cfi_def_cfa_offset 8)
	KP_RET_FLAGS
	KP_CFI(.cfi_restore_state)
slow\@:
	KP_CFI(.cfi_remember_state)
	mov	%rax, \at - 8(%rsp)
	load_general
	KP_CFI(.cfi_restore rbx)
	lea	\at - 8(%rsp), %rsp
	KP_CFI(.cfi_def_cfa_offset 16)
	popfq
	KP_CFI(.cfi_adjust_cfa_offset -8)
	KP_RET_FLAGS
	KP_CFI(.cfi_restore_state)
.endm

/* What a lean handler may find or change. */
.macro	return_begin
#if KP_BALANCED
	/*
	 * As in the stub itself, one word further down (see there):
	 * val_expression rsp: breg7 8; expression ra: breg7 0; deref;
	 * const1s -16; and; dup; deref_size 4; plus; deref
	 */
	KP_CFI(.cfi_def_cfa rsp, 9)
	KP_CFI(.cfi_escape 0x16, 7, 2, 0x77, 0x08)
	KP_CFI(.cfi_escape 0x10, 16, 11, 0x77, 0x00, 0x06, 0x09, 0xf0, 0x1a, 0x12, 0x94, 0x04, 0x22, 0x06)
	push	(%rsp)
	KP_CFI(.cfi_restore rsp)
	KP_CFI(.cfi_def_cfa rsp, 8)
	KP_CFI(.cfi_offset rip, -8)
#endif
	pushq	$KP_SS
	KP_CFI(.cfi_adjust_cfa_offset 8)
	push	%rsp
	KP_CFI(.cfi_adjust_cfa_offset 8)
	pushfq
	KP_CFI(.cfi_adjust_cfa_offset 8)
	pushq	$KP_CS
	KP_CFI(.cfi_adjust_cfa_offset 8)
	lea	-(CS - ORIG_AX)(%rsp), %rsp
	KP_CFI(.cfi_adjust_cfa_offset CS - ORIG_AX)
	push_saved rdi
	push_saved rsi
	push_saved rdx
	push_saved rcx
	push_saved rax
	push_saved r8
	push_saved r9
	push_saved r10
	push_saved r11
	push_saved rbx
	lea	-RBX(%rsp), %rsp
	KP_CFI(.cfi_adjust_cfa_offset RBX)
	/* As pushed, it was where ss stands. */
	addq	$STACK - SS, RSP(%rsp)
.endm

	.p2align 4
	.globl kp_arch_return_entry
	.hidden kp_arch_return_entry
	.type kp_arch_return_entry, @function
kp_arch_return_entry:
	KP_NO_TARGET
	KP_CFI(.cfi_startproc)
	return_begin
	testl	$UNUSUAL | OF, EFLAGS(%rsp)
	jnz	odd_flags
	mov	RA(%rsp), %rdi
	mov	%rsp, %rsi
	call	kp_core_on_return_begin
	test	%rax, %rax
	jz	whole
	mov	%rdx, %rbx
	mov	KP_ARCH_CTX_RETURNING(%rdx), %rdi
	mov	%rsp, %rsi
	add	$KP_ARCH_NODE_RI, %rdi
	KP_CALL_REG(rax)
	mov	%rbx, %rdi
	call	kp_core_on_return_end
	mov	RIP(%rsp), %rcx
	mov	%rcx, RA(%rsp)
	/* OF was clear, and is; sahf does the rest. */
	test	%al, %al
#if KP_BALANCED
	jz	not_called
	lean_exit BACK
not_called:
#endif
	lean_exit RA

odd_flags:
	mov	EFLAGS(%rsp), %eax
	usual_flags
whole:
	store_kept
	mov	RA(%rsp), %rax
	mov	%rax, RIP(%rsp)
	keep_words
#if KP_VECTORS
	/* Nothing promises that the caller's stack is aligned. */
	and	$-16, %rsp
	KP_FIND_ROOM(cramped)
#endif
	mov	%rbx, %rdi
#if KP_FRAMES
	/* As if the stub had called a function; its address stands for the real caller's. */
	push	RA(%rbx)
	push	%rbp
	mov	%rsp, %rbp
#endif
	call	kp_core_on_return
returned:
	mov	RIP(%rbx), %rcx
	mov	%rcx, RA(%rbx)
	mov	%rbx, %rsp
	KP_CFI(.cfi_def_cfa_register rsp)
#if KP_BALANCED
	test	%al, %al
	jz	not_called_whole
	whole_exit BACK
not_called_whole:
#endif
	whole_exit RA
	KP_CFI(.cfi_endproc)
	.size kp_arch_return_entry, . - kp_arch_return_entry

#if KP_RETURN_STUBS
/*
 * As kp_arch_return_entry, of a ready-made stub, which says itself where its node
 * is; kp_core_on_return_begin and _end are done here, as far as they are usual, for
 * a context whose macros call_entry.S lists.
 */
	.p2align 6
	.type kp_arch_return_ready, @function
kp_arch_return_ready:
	KP_CFI(.cfi_startproc)
	return_begin
	testl	$UNUSUAL | OF, EFLAGS(%rsp)
	jnz	odd_flags
	kp_reader_begin rbx, whole
	mov	RA(%rsp), %rdi
	movslq	-STUB_BACK(%rdi), %rax
	mov	-STUB_BACK(%rdi, %rax), %rdi
	/* None yet, or none any more: KP_STUB_LINK. */
	test	$1, %dil
	jnz	unusual
	test	%rdi, %rdi
	jz	unusual
	mov	KP_ARCH_NODE_POOL(%rdi), %rsi
	/* As a reader, which keeps it; there is one only if the handler is lean. */
	mov	KP_ARCH_POOL_LEAN_CHILD(%rsi), %rcx
	test	%rcx, %rcx
	jz	unusual
	mov	KP_ARCH_CHILD_KP(%rcx), %rdx
	mov	KP_ARCH_POOL_LEAN(%rsi), %rax
	cmp	KP_ARCH_RP_HANDLER(%rdx), %rax
	jne	unusual
	/* The only one of its call, and it is ACTIVE. */
	mov	KP_ARCH_NODE_REAL(%rdi), %rdx
	cmp	KP_ARCH_NODE_BELOW(%rdi), %rdx
	jne	unusual
	mov	KP_ARCH_NODE_STATE(%rdi), %esi
	and	$3, %esi
	cmp	$2, %esi
	jne	unusual
	/* A lean handler does not change it. */
	mov	%rdx, RIP(%rsp)
	mov	%rdx, RA(%rsp)
	lea	KP_ARCH_FRAME_LEAN(%rsp), %rdx
	mov	%rdx, KP_CTX_FRAME(%rbx)
	mov	KP_ARCH_NODE_SITE(%rdi), %rdx
	mov	%rdx, KP_CTX_SITE(%rbx)
	/* Now: a signal's calls before there was a site left none. */
	mov	%rdi, KP_ARCH_CTX_RETURNING(%rbx)
	mov	%rcx, KP_CTX_CURRENT(%rbx)
	add	$KP_ARCH_NODE_RI, %rdi
	mov	%rsp, %rsi
	KP_CALL_REG(rax)
	mov	KP_ARCH_CTX_RETURNING(%rbx), %rdi
	test	%rdi, %rdi
	jz	end_oddly
	cmpb	$0, KP_ARCH_NODE_PARKED(%rdi)
	je	end_oddly
	movq	$0, KP_CTX_CURRENT(%rbx)
	movq	$0, KP_ARCH_CTX_RETURNING(%rbx)
	movq	$0, KP_CTX_SITE(%rbx)
	movq	$0, KP_CTX_FRAME(%rbx)
	/* As soon as it is FREE it may be another call's. */
	movzbl	KP_ARCH_NODE_CALLED(%rdi), %eax
	andl	$~3, KP_ARCH_NODE_STATE(%rdi)
	kp_reader_end rbx
ended:
	test	%al, %al
	jz	ended_not_called
	lean_exit BACK
ended_not_called:
	lean_exit RA

	/* It was believed to be left for good, or the node goes back to a list. */
end_oddly:
	mov	%rbx, %rdi
	call	kp_core_on_return_end
	jmp	ended

unusual:
	kp_reader_end rbx
	jmp	whole
	KP_CFI(.cfi_endproc)
	.size kp_arch_return_ready, . - kp_arch_return_ready
#endif

/*
 * Not called: kp_arch_guard_return lets an abandoned handler come here, frame in
 * rbx; what was below its words is garbage.  What it has made of the registers is
 * undone.
 */
.macro	undo	nr, reg
	mov	-8 - 8 * \nr(%rbx), %rax
	mov	%rax, \reg(%rbx)
.endm
	.p2align 4
	.globl kp_arch_return_abort
	.hidden kp_arch_return_abort
	.type kp_arch_return_abort, @function
kp_arch_return_abort:
	KP_NO_TARGET
	KP_CFI(.cfi_startproc)
	KP_CFI(.cfi_def_cfa rbx, CFA)
	KP_CFI(.cfi_offset rbx, RBX - CFA)
	undo	0, RAX
	undo	1, RDX
	undo	2, RBX
	undo	3, RBP
	undo	4, R12
	undo	5, R13
	undo	6, R14
	undo	7, R15
	undo	8, EFLAGS
abort:
	lea	KEPT_FLAGS(%rbx), %rsp
#if KP_VECTORS
	and	$-16, %rsp
	/* There was room before. */
	KP_FIND_ROOM(1f)
1:
#endif
	mov	%rbx, %rdi
	call	kp_core_on_return_abort
	jmp	returned

/*
 * Not called: kp_arch_guard_return_lean lets an abandoned handler come here, frame
 * in rbx, and what the frame lacks in its registers.
 */
	.globl kp_arch_return_lean_abort
	.hidden kp_arch_return_lean_abort
kp_arch_return_lean_abort:
	KP_NO_TARGET
	mov	%rbx, %rsp
	store_kept
	keep_words
	jmp	abort
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
 * For an unwinder that stands at the stub, the word below its stack pointer names
 * the stub.  Where the function has returned, that is the return address that it
 * had or used; the rest is above.  Behind the call it is the address that the call
 * pushed, and the caller's stack begins one word higher.  That word is the real
 * return address, as soon as it is not the pushed one: then the node may be
 * another call's.
 *
 *   w = *(rsp - 8);  back = (w & 15) == 14
 *   rsp:    rsp + 8 * back
 *   cfa:    rsp + (back ? 8 : 1)
 *   ra at:  !back or *rsp == w: the node; else rsp
 */
	.p2align 4
	.globl kp_arch_return_stubs
	.hidden kp_arch_return_stubs
	.type kp_arch_return_stubs, @function
kp_arch_return_stubs:
	.cfi_startproc simple
	/*
	 * def_cfa_expression: breg7 1; breg7 -8; deref; lit15; and; lit14; eq;
	 * lit7; mul; plus
	 */
	.cfi_escape 0x0f, 12, 0x77, 0x01, 0x77, 0x78, 0x06, 0x3f, 0x1a, 0x3e, 0x29, 0x37, 0x1e, 0x22
	/*
	 * val_expression rsp: breg7 0; breg7 -8; deref; lit15; and; lit14; eq;
	 * lit3; shl; plus
	 */
	.cfi_escape 0x16, 7, 12, 0x77, 0x00, 0x77, 0x78, 0x06, 0x3f, 0x1a, 0x3e, 0x29, 0x33, 0x24, 0x22
	/*
	 * expression ra: breg7 -8; deref; dup; lit15; and; lit14; ne; bra node;
	 * dup; breg7 0; deref; eq; bra node; drop; breg7 0; skip end;
	 * node: const1s -16; and; dup; deref_size 4; plus; deref
	 * end:
	 */
	.cfi_escape 0x10, 16, 33, 0x77, 0x78, 0x06, 0x12, 0x3f, 0x1a, 0x3e, 0x2e, 0x28, 14, 0
	.cfi_escape 0x12, 0x77, 0x00, 0x06, 0x29, 0x28, 6, 0, 0x13, 0x77, 0x00, 0x2f, 8, 0
	.cfi_escape 0x09, 0xf0, 0x1a, 0x12, 0x94, 0x04, 0x22, 0x06
	.set	stub, 0
	.rept	KP_RETURN_STUBS
0:	.long	kp_arch_return_nodes + 8 * stub - 0b
	call	kp_arch_return_jumps + 8 * stub
	call	kp_arch_return_ready
	ret
	int3
	.set	stub, stub + 1
	.endr
	.cfi_endproc
	.size kp_arch_return_stubs, . - kp_arch_return_stubs

/* Where they call: on to the function, as just called. */
	.p2align 4
	.type kp_arch_return_jumps, @function
kp_arch_return_jumps:
	.cfi_startproc
	.set	stub, 0
	.rept	KP_RETURN_STUBS
	jmp	*kp_arch_return_bodies + 8 * stub(%rip)
	int3
	int3
	.set	stub, stub + 1
	.endr
	.cfi_endproc
	.size kp_arch_return_jumps, . - kp_arch_return_jumps

	.bss
	.p2align 4
	.globl kp_arch_return_nodes
	.hidden kp_arch_return_nodes
	.type kp_arch_return_nodes, @object
kp_arch_return_nodes:
	.skip	8 * KP_RETURN_STUBS
	.size kp_arch_return_nodes, 8 * KP_RETURN_STUBS

	.globl kp_arch_return_bodies
	.hidden kp_arch_return_bodies
	.type kp_arch_return_bodies, @object
kp_arch_return_bodies:
	.skip	8 * KP_RETURN_STUBS
	.size kp_arch_return_bodies, 8 * KP_RETURN_STUBS
#endif

	.section .note.GNU-stack, "", @progbits
