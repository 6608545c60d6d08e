/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * call_entry.S - a call of a function that has a return probe, and nothing else.
 *
 * Owns: where the heads of such sites call.  It does what enter_at_once() of
 * core/return.c does, for a context that has hooked a call from the same stretch of
 * the same thread's stack before, with the node that it used then: most of what a
 * node says stands in it already.  Whatever is not as usual goes on in
 * detour_entry.S, with the few registers that are saved.
 *
 * No handler runs here, so the context gets no site, and what a signal's handler
 * hits meanwhile is no recursion; it finds a reader, and the node TAKEN.
 *
 * Invariants: those of detour_entry.S, whose frame this is; what is checked is
 * checked before the node is taken, and nothing after that can fail.
 *
 * The host supplies, of its context in REG, rax and rcx being scratch:
 *
 *   kp_reader_begin REG, UNDO   a reader; or to UNDO, and nothing has happened
 *   kp_reader_end REG
 */
#include "env_asm.h"
#include "frame_asm.h"
#include "detour_asm.h"

/* From where rsp is when a few registers are saved. */
#define AT(place) ((place) - RAX)

	.section .text.kp_trap, "ax", @progbits

	.globl kp_arch_call_begin
	.hidden kp_arch_call_begin
kp_arch_call_begin:

	.p2align 6
	.globl kp_arch_call_entry
	.hidden kp_arch_call_entry
	.type kp_arch_call_entry, @function
kp_arch_call_entry:
	KP_CFI(.cfi_startproc)
	KP_CFI(.cfi_signal_frame)
	KP_CFI(.cfi_def_cfa rsp, STACK - RIP)
	shown_by_head
	push_few
	testl	$UNUSUAL | OF, AT(EFLAGS)(%rsp)
	jnz	kp_arch_detour_few
	mov	AT(RIP)(%rsp), %rax
	mov	TO_TAG(%rax), %rdx
	kp_reader_begin rsi, kp_arch_detour_few
	cmpl	$JUMP_IN, SITE_JUMP(%rdx)
	jne	unusual
	/* As a reader, which keeps it. */
	mov	KP_ARCH_SITE_CALLS(%rdx), %rdx
	test	%rdx, %rdx
	jz	unusual
	mov	KP_CTX_PARKED(%rsi), %eax
	mov	KP_ARCH_POOL_PARKED(%rdx, %rax, 8), %rdi
	test	%rdi, %rdi
	jz	unusual
	mov	KP_ARCH_POOL_RP(%rdx), %rdx
	test	%rdx, %rdx
	jz	unusual
	cmpq	$0, KP_ARCH_RP_ENTRY_HANDLER(%rdx)
	jne	unusual
	mov	kp_retired_round(%rip), %eax
	cmp	KP_CTX_RETIRED_ROUND(%rsi), %eax
	jne	unusual
	/* The same thread and stack, a pool whose nodes are the context's own, ... */
	mov	KP_CTX_STAMP(%rsi), %rax
	cmp	KP_ARCH_NODE_STAMP(%rdi), %rax
	jne	unusual
	/* ... and no stub where the return address is: kp_stub_near. */
	mov	AT(STACK)(%rsp), %rcx
	mov	%rcx, %rax
	sub	kp_stub_span(%rip), %rax
	cmp	kp_stub_span + 8(%rip), %rax
	jb	unusual
	/* FREE becomes TAKEN, and counts: kp_pool_take_node. */
	mov	KP_ARCH_NODE_STATE(%rdi), %eax
	test	$3, %al
	jnz	unusual
	lea	4 + 1(%rax), %edx
	cmpxchg	%edx, KP_ARCH_NODE_STATE(%rdi)
	jne	unusual
	mov	%rdi, KP_CTX_TAKEN(%rsi)
	mov	%rcx, KP_ARCH_NODE_REAL(%rdi)
	mov	%rcx, KP_ARCH_NODE_BELOW(%rdi)
	mov	%rcx, KP_ARCH_NODE_RET_ADDR(%rdi)
	lea	AT(STACK)(%rsp), %rax
	mov	%rax, KP_ARCH_NODE_FRAME(%rdi)
	movb	$1, KP_ARCH_NODE_CALLED(%rdi)
	/* What the stub calls is the head's rest. */
	mov	AT(RIP)(%rsp), %rax
	mov	KP_ARCH_NODE_BODY(%rdi), %rdx
	cmp	%rax, (%rdx)
	jne	new_body
hook:
	/* In this order: see hook() there. */
	mov	KP_ARCH_NODE_ENTRY(%rdi), %rdx
	mov	%rdx, AT(STACK)(%rsp)
	incl	KP_ARCH_NODE_STATE(%rdi)	/* ACTIVE */
	movq	$0, KP_CTX_TAKEN(%rsi)
	/* To the call in the stub, which pushes that address once more. */
	lea	-CALL_LEN(%rdx), %rdx
	mov	%rdx, AT(TOP)(%rsp)
	kp_reader_end rsi
	/* OF is clear: that count does not overflow. */
	mov	AT(EFLAGS)(%rsp), %ah
	sahf
	KP_CFI(.cfi_remember_state)
	.irp	reg, rax, rcx, rdx, rsi, rdi
	pop	%\reg
	KP_CFI(.cfi_adjust_cfa_offset -8)
	.endr
	lea	TOP - ORIG_AX(%rsp), %rsp
	KP_CFI(.cfi_def_cfa_offset STACK - TOP)
	ret	$KP_RED_ZONE + 8
	KP_CFI(.cfi_restore_state)

new_body:
	mov	%rax, (%rdx)
	jmp	hook

unusual:
	kp_reader_end rsi
	jmp	kp_arch_detour_few
	KP_CFI(.cfi_endproc)
	.size kp_arch_call_entry, . - kp_arch_call_entry

	.globl kp_arch_call_end
	.hidden kp_arch_call_end
kp_arch_call_end:

	.section .note.GNU-stack, "", @progbits
