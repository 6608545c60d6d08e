/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * env_asm.h - how the architecture's assembly returns and calls in a kernel.
 *
 * Owns: the mitigations' spelling.  A kernel may be built with return thunks
 * and retpolines, and its objtool insists on them.  And the way in and out of a
 * context for a hit that needs least (enter.h has the others).
 */
#ifndef KP_ENV_ASM_H
#define KP_ENV_ASM_H

#include <linux/objtool.h>
#include <linux/stringify.h>
#include <asm/alternative.h>
#include <asm/linkage.h>
#include <asm/nospec-branch.h>
#include <asm/segment.h>
#include <asm/percpu.h>
#include <asm/unwind_hints.h>
#include "compat/landing_pads.h"
#include "kp_offsets.h"

#define KP_RET RET
/*
 * Where the flags are the probed code's.  The return thunk that counts calls
 * (retbleed=stuff, since 6.2) changes them; what we return from was not counted.
 */
#ifdef X86_FEATURE_CALL_DEPTH
.macro kp_ret_flags
	ALTERNATIVE __stringify(RET), \
		__stringify(ANNOTATE_UNRET_SAFE; ret; int3), X86_FEATURE_CALL_DEPTH
.endm
#define KP_RET_FLAGS kp_ret_flags
#else
#define KP_RET_FLAGS RET
#endif
/* reg: a register's name without the percent sign. */
#ifdef CONFIG_FINEIBT
/* indirect.c; r10 and the flags are nobody's at a call. */
.macro kp_call_reg reg
	sub	kp_call_before(%rip), %\reg
	mov	KP_CALL_HASH(%\reg), %r10d
	CALL_NOSPEC \reg
.endm
#define KP_CALL_REG(reg) kp_call_reg reg
#else
#define KP_CALL_REG(reg) CALL_NOSPEC reg
#endif
/* The kernel's entry code has done it, and objtool minds a second cld. */
#define KP_DF_CLEAR
/* An address that is taken, but no target of indirect calls and jumps. */
#define KP_NO_TARGET ANNOTATE_NOENDBR
/* objtool derives the unwind tables itself. */
#define KP_CFI(...)
/* Reached by an exception return, with the stack as on a function's entry. */
#define KP_UNWIND_FUNC UNWIND_HINT_FUNC

/* Hits through jumps, and returns (detour_entry.S, return.S). */
#define KP_RED_ZONE 0
#define KP_VECTORS 0
#define KP_BALANCED 0
/* Without tables of its own the kernel's unwinder follows frame pointers. */
#ifdef CONFIG_FRAME_POINTER
#define KP_FRAMES 1
#else
#define KP_FRAMES 0
#endif
#define KP_CS __KERNEL_CS
#define KP_SS __KERNEL_DS
#define KP_RETURN_STUBS 0
/* objtool does not follow the stub's call. */
#define KP_NONSTANDARD(function) STACK_FRAME_NON_STANDARD function

/*
 * Such hits are those of tasks, with RCU watching: they have the first of the CPU's
 * contexts.  Any other goes on to undo.
 */
#define KP_LEAN 1
#define KP_CTX(at) PER_CPU_VAR(kp_contexts + at)
/* Into ZF: does RCU not watch, as far as is known?  Clobbers rax. */
.macro kp_test_rcu
#ifdef KP_RCU_IS_FOUND
	mov	kp_rcu_at(%rip), %rax
	testl	$KP_RCU_BIT, PER_CPU_VAR((%rax))
#else
	testl	$KP_RCU_BIT, PER_CPU_VAR(KP_RCU_WORD)
#endif
.endm
.macro kp_direct_begin ctx, undo
	incl	PER_CPU_VAR(KP_PREEMPT_WORD)
	mov	PER_CPU_VAR(KP_PREEMPT_WORD), %eax
	sub	PER_CPU_VAR(kp_traps), %eax
	test	$KP_NOT_TASK, %eax
	jnz	\undo
	kp_test_rcu
	jz	\undo
	cmpq	$0, KP_CTX(KP_CTX_SITE)
	jne	\undo
	/* In this order, and the other one at the end: hit.h of the core. */
	mov	%rdx, KP_CTX(KP_CTX_SITE)
	mov	%rsi, KP_CTX(KP_CTX_FRAME)
.endm
.macro kp_direct_undo
	decl	PER_CPU_VAR(KP_PREEMPT_WORD)
.endm
.macro kp_direct_site ctx, reg
	mov	KP_CTX(KP_CTX_SITE), %\reg
.endm
/* $0 alone is an argument of the macro's to clang. */
.macro kp_direct_end ctx
	movq	$(0), KP_CTX(KP_CTX_FRAME)
	movq	$(0), KP_CTX(KP_CTX_SITE)
	decl	PER_CPU_VAR(KP_PREEMPT_WORD)
.endm
/* As kp_host_note; interrupts are as the frame says. */
.macro kp_direct_note ctx
	mov	PER_CPU_VAR(KP_PREEMPT_WORD), %eax
	mov	%rax, KP_CTX(KP_CTX_PREEMPT)
	mov	PER_CPU_VAR(KP_CURRENT_WORD), %rcx
	mov	KP_TASK_PAGEFAULT(%rcx), %eax
	mov	%rax, KP_CTX(KP_CTX_PAGEFAULT)
#ifdef KP_TASK_RCU
	mov	KP_TASK_RCU(%rcx), %eax
	mov	%rax, KP_CTX(KP_CTX_RCU)
#endif
#ifdef KP_TASK_GRAPH
	mov	KP_TASK_GRAPH(%rcx), %rax
	mov	%rax, KP_CTX(KP_CTX_GRAPH)
#endif
.endm
.macro kp_direct_current ctx, reg
	mov	%\reg, KP_CTX(KP_CTX_CURRENT)
.endm
.macro kp_direct_forget ctx
	movq	$(0), KP_CTX(KP_CTX_CURRENT)
.endm
#endif
