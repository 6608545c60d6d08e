/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * frame_asm.h - a struct pt_regs on the stack, for assembly.
 *
 * Owns: the offsets, which regs.h asserts, the moves of all general registers
 * but the stack pointer to and from one at rsp, which touch no flag, and the flags
 * with which C code is called.
 */
#ifndef KP_FRAME_ASM_H
#define KP_FRAME_ASM_H

#define R15	0
#define R14	8
#define R13	16
#define R12	24
#define RBP	32
#define RBX	40
#define R11	48
#define R10	56
#define R9	64
#define R8	72
#define RAX	80
#define RCX	88
#define RDX	96
#define RSI	104
#define RDI	112
#define ORIG_AX	120
#define RIP	128
#define CS	136
#define EFLAGS	144
#define RSP	152
#define SS	160
#define REGS_LEN 168

#define TF	(1 << 8)
#define IF	(1 << 9)
#define DF	(1 << 10)
#define OF	(1 << 11)
#define NT	(1 << 14)
#define AC	(1 << 18)
#define ID	(1 << 21)
/*
 * What C code must not find set, and what sahf cannot restore.  With AC each access
 * off its boundary is a fault in a process; in a kernel it opens user memory.
 */
#define UNUSUAL	(TF | DF | NT | AC | ID)

.macro	store_general
	mov	%r15, R15(%rsp)
	mov	%r14, R14(%rsp)
	mov	%r13, R13(%rsp)
	mov	%r12, R12(%rsp)
	mov	%rbp, RBP(%rsp)
	mov	%rbx, RBX(%rsp)
	mov	%r11, R11(%rsp)
	mov	%r10, R10(%rsp)
	mov	%r9, R9(%rsp)
	mov	%r8, R8(%rsp)
	mov	%rax, RAX(%rsp)
	mov	%rcx, RCX(%rsp)
	mov	%rdx, RDX(%rsp)
	mov	%rsi, RSI(%rsp)
	mov	%rdi, RDI(%rsp)
.endm

.macro	load_general
	mov	R15(%rsp), %r15
	mov	R14(%rsp), %r14
	mov	R13(%rsp), %r13
	mov	R12(%rsp), %r12
	mov	RBP(%rsp), %rbp
	mov	RBX(%rsp), %rbx
	mov	R11(%rsp), %r11
	mov	R10(%rsp), %r10
	mov	R9(%rsp), %r9
	mov	R8(%rsp), %r8
	mov	RAX(%rsp), %rax
	mov	RCX(%rsp), %rcx
	mov	RDX(%rsp), %rdx
	mov	RSI(%rsp), %rsi
	mov	RDI(%rsp), %rdi
.endm

/* What a function keeps, but rbx, and what no system call leaves in orig_ax. */
.macro	store_kept
	mov	%rbp, RBP(%rsp)
	mov	%r12, R12(%rsp)
	mov	%r13, R13(%rsp)
	mov	%r14, R14(%rsp)
	mov	%r15, R15(%rsp)
	movq	$-1, ORIG_AX(%rsp)
.endm

/* The flags in eax, which goes, are the probed code's; the stack is ours. */
.macro	usual_flags
	test	$UNUSUAL, %eax
	jz	usual\@
	and	$~UNUSUAL, %eax
	push	%rax
	KP_CFI(.cfi_adjust_cfa_offset 8)
	popfq
	KP_CFI(.cfi_adjust_cfa_offset -8)
usual\@:
.endm

#endif
