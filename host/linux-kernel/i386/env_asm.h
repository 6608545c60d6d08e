/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * env_asm.h - how the architecture's assembly returns and calls in a 32-bit kernel.
 *
 * Owns: the mitigations' spelling, and where arguments are: all of the kernel is compiled
 * for three in registers, and so is this module.  And the way in and out of a context for
 * a hit through a jump that needs least (enter.h has the others).
 */
#ifndef KP_ENV_ASM_H
#define KP_ENV_ASM_H

#include <linux/stringify.h>
#include <asm/alternative.h>
#include <asm/linkage.h>
#include <asm/nospec-branch.h>
#include <asm/percpu.h>
#include "kp_offsets.h"

#define KP_REGPARM 1
#define KP_RET RET
/* reg: a register's name without the percent sign. */
#define KP_CALL_REG(reg) CALL_NOSPEC reg
/* These kernels have no unwind tables. */
#define KP_CFI(...)
#define KP_FRAMES 1

/* Returns (return.S). */
#define KP_VECTORS 0
#define KP_RETURN_STUBS 0

/*
 * Such hits are those of tasks, with RCU watching: they have the first of the CPU's
 * contexts.  Any other goes on to undo; so do all where RCU's word is not known.
 */
#ifdef KP_RCU_IS_FOUND
#define KP_DIRECT 0
#else
#define KP_DIRECT 1
#define KP_CTX(at) PER_CPU_VAR(kp_contexts + at)
.macro kp_direct_enter undo
	incl	PER_CPU_VAR(KP_PREEMPT_WORD)
	mov	PER_CPU_VAR(KP_PREEMPT_WORD), %eax
	sub	PER_CPU_VAR(kp_traps), %eax
	test	$KP_NOT_TASK, %eax
	jnz	\undo
	testl	$KP_RCU_BIT, PER_CPU_VAR(KP_RCU_WORD)
	jz	\undo
	cmpl	$(0), KP_CTX(KP_CTX_SITE)
	jne	\undo
.endm
.macro kp_direct_begin site, frame, undo
	kp_direct_enter \undo
	/* In this order, and the other one at the end: hit.h of the core. */
	mov	%\site, KP_CTX(KP_CTX_SITE)
	mov	%\frame, KP_CTX(KP_CTX_FRAME)
.endm
.macro kp_direct_undo
	decl	PER_CPU_VAR(KP_PREEMPT_WORD)
.endm
/* $0 alone is an argument of the macro's to clang. */
.macro kp_direct_end
	movl	$(0), KP_CTX(KP_CTX_FRAME)
	movl	$(0), KP_CTX(KP_CTX_SITE)
	decl	PER_CPU_VAR(KP_PREEMPT_WORD)
.endm
.macro kp_direct_note_nothing
	movl	$(0), KP_CTX(KP_CTX_PREEMPT)
.endm
/* As kp_host_note; interrupts are as the frame says. */
.macro kp_direct_note
	mov	PER_CPU_VAR(KP_PREEMPT_WORD), %eax
	mov	%eax, KP_CTX(KP_CTX_PREEMPT)
	mov	PER_CPU_VAR(KP_CURRENT_WORD), %ecx
	mov	KP_TASK_PAGEFAULT(%ecx), %eax
	mov	%eax, KP_CTX(KP_CTX_PAGEFAULT)
#ifdef KP_TASK_RCU
	mov	KP_TASK_RCU(%ecx), %eax
	mov	%eax, KP_CTX(KP_CTX_RCU)
#endif
#ifdef KP_TASK_GRAPH
	/* kp_graph_depth's halves. */
	movzwl	KP_TASK_GRAPH(%ecx), %eax
	mov	KP_TASK_GRAPH + 4(%ecx), %ecx
	shl	$16, %ecx
	or	%ecx, %eax
	mov	%eax, KP_CTX(KP_CTX_GRAPH)
#endif
.endm
.macro kp_direct_current reg
	mov	%\reg, KP_CTX(KP_CTX_CURRENT)
.endm
.macro kp_direct_forget
	movl	$(0), KP_CTX(KP_CTX_CURRENT)
.endm
#endif

#endif
