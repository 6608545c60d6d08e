/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * env_asm.h - how the architecture's assembly returns and calls in a kernel.
 *
 * Owns: that nothing there uses registers for floating point; and the way in and out of a
 * context for a hit through a jump that needs least (enter.h has the others).
 */
#ifndef KP_ENV_ASM_H
#define KP_ENV_ASM_H

#include "kp_offsets.h"

#define KP_VECTORS 0
#define KP_RETURN_STUBS 0

/*
 * Such hits are those of tasks, with RCU watching: they have the first of the CPU's
 * contexts.  Any other goes on to undo: what traps have added to the counter is one, too.
 * So do all where a word is not known or not in reach: where the task and the CPU's own data
 * are must not depend on what the kernel finds at boot.
 */
#if defined(KP_RCU_IS_FOUND) || !defined(KP_TASK_PREEMPT) || !defined(CONFIG_SMP) ||	\
	!defined(CONFIG_CURRENT_POINTER_IN_TPIDRURO) || defined(CONFIG_CPU_V6)
#define KP_DIRECT 0
#elif KP_TASK_PREEMPT > 4095 || KP_TASK_PAGEFAULT > 4095 || KP_NOT_TASK & ~0xffff00
#define KP_DIRECT 0
#elif defined(KP_TASK_RCU) && KP_TASK_RCU > 4095
#define KP_DIRECT 0
#elif defined(KP_TASK_GRAPH) && KP_TASK_GRAPH > 4091
#define KP_DIRECT 0
#else
#define KP_DIRECT 1
#endif

/* r8 is the task, r9 the context, r10 the counter. */
.macro	kp_direct_enter
	mrc	p15, 0, r8, c13, c0, 3
	ldr	r10, [r8, #KP_TASK_PREEMPT]
	add	r10, r10, #1
	str	r10, [r8, #KP_TASK_PREEMPT]
.endm
.macro	kp_direct_undo
	ldr	r0, [r8, #KP_TASK_PREEMPT]
	sub	r0, r0, #1
	str	r0, [r8, #KP_TASK_PREEMPT]
.endm
#define KP_IN_CTX(at) [r9, #(at - KP_CTX_SITE)]
.macro	kp_direct_begin site, frame, undo
	mrc	p15, 0, r9, c13, c0, 4
	movw	r0, #:lower16:KP_RCU_WORD
	movt	r0, #:upper16:KP_RCU_WORD
	movw	r1, #:lower16:(kp_contexts + KP_CTX_SITE)
	movt	r1, #:upper16:(kp_contexts + KP_CTX_SITE)
	ldr	r0, [r9, r0]
	ldr	r1, [r9, r1]!
	eor	r0, r0, #KP_RCU_BIT
	tst	r10, #(KP_NOT_TASK & 0xff0000)
	tsteq	r10, #(KP_NOT_TASK & 0xff00)
	tsteq	r0, #KP_RCU_BIT
	cmpeq	r1, #0
	bne	\undo
	/* In this order, and the other one at the end: hit.h of the core. */
	str	\site, KP_IN_CTX(KP_CTX_SITE)
	str	\frame, KP_IN_CTX(KP_CTX_FRAME)
.endm
.macro	kp_direct_end zero
	str	\zero, KP_IN_CTX(KP_CTX_FRAME)
	str	\zero, KP_IN_CTX(KP_CTX_SITE)
	kp_direct_undo
.endm
.macro	kp_direct_note_nothing zero
	str	\zero, KP_IN_CTX(KP_CTX_PREEMPT)
.endm
/* As kp_host_note; interrupts are as the frame says. */
.macro	kp_direct_note
	ldr	r11, [r8, #KP_TASK_PAGEFAULT]
	strd	r10, r11, KP_IN_CTX(KP_CTX_PREEMPT)
#ifdef KP_TASK_RCU
	ldr	r0, [r8, #KP_TASK_RCU]
	str	r0, KP_IN_CTX(KP_CTX_RCU)
#endif
#ifdef KP_TASK_GRAPH
	/* kp_graph_depth's halves. */
	ldr	r0, [r8, #KP_TASK_GRAPH]
	ldr	r1, [r8, #(KP_TASK_GRAPH + 4)]
	pkhbt	r0, r0, r1, lsl #16
	str	r0, KP_IN_CTX(KP_CTX_GRAPH)
#endif
.endm
.macro	kp_direct_current reg
	str	\reg, KP_IN_CTX(KP_CTX_CURRENT)
.endm
.macro	kp_direct_forget zero
	str	\zero, KP_IN_CTX(KP_CTX_CURRENT)
.endm

#endif
