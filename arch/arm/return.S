/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * return.S - where hooked functions return to.
 *
 * Owns: the common part of all return stubs, and the stubs themselves where the host wants
 * them ready made.  env_asm.h of the host supplies KP_VECTORS, and with it
 * KP_FIND_ROOM(cramped), which keeps r4, and KP_CRAMPED_RETURN; and KP_RETURN_STUBS (their
 * number, or 0).
 *
 * Preserved for the caller: all general registers but lr, and the flags.  The engine uses no
 * other registers; what a handler uses is kept around its call, see kp_arch_keeping.
 */
#include "env_asm.h"
#include "frame_asm.h"

	.syntax unified
	.arm
	.section .text.kp_trap, "ax", %progbits

/*
 * Called by a stub, which stands before lr, with the stack otherwise as after the function's
 * return.  Where it
 * goes on is known to the core alone: unwinders of processes find an end here, those of a
 * kernel the stub, of which its host knows more (backtrace.c).
 */
	.p2align 2
	.globl kp_arch_return_entry
	.hidden kp_arch_return_entry
	.type kp_arch_return_entry, %function
kp_arch_return_entry:
	.fnstart
#if KP_VECTORS
	.cantunwind
#else
	/* sp = fp: the frame; pop {r0-r3}; pop {r4-r12, sp, lr, pc} */
	.unwind_raw 0, 0x9b, 0xb1, 0x0f, 0x8f, 0xff
#endif
	sub	sp, sp, #RETURN_LEN
	stm	sp, {r0-r12}
	add	ip, sp, #FRAME_KEPT
	stm	ip, {r0-r11}
	mrs	r1, cpsr
	add	ip, sp, #RETURN_LEN
	str	ip, [sp, #FRAME_SP]
	sub	lr, lr, #4
	str	lr, [sp, #FRAME_LR]
	str	lr, [sp, #FRAME_PC]
	str	r1, [sp, #FRAME_CPSR]
	str	r0, [sp, #FRAME_ORIG_R0]
	mov	r4, sp
	mov	fp, sp			/* the one that a kernel's unwinder keeps, but sp and lr */
	/* Nothing promises that the caller's stack is aligned. */
	bic	ip, sp, #7
	mov	sp, ip
#if KP_VECTORS
	KP_FIND_ROOM(cramped)
#endif
	mov	r0, r4
	bl	kp_core_on_return
returned:
	mov	sp, r4
	ldr	ip, [sp, #FRAME_CPSR]
	ldr	r1, [sp, #FRAME_PC]
	tst	ip, #0x20
	orrne	r1, r1, #1
	str	r1, [sp, #FRAME_TO]
	ldr	lr, [sp, #FRAME_LR]
	msr	cpsr_f, ip
	ldm	sp, {r0-r12}
	add	sp, sp, #FRAME_TO
	pop	{pc}

#if KP_VECTORS
cramped:
	mov	r0, r4
	bl	KP_CRAMPED_RETURN
	b	returned
#endif

/*
 * Not called: kp_arch_guard_return lets an abandoned handler come here, frame in r4 and sp.
 * What it has made of the registers is undone.
 */
	.globl kp_arch_return_abort
	.hidden kp_arch_return_abort
kp_arch_return_abort:
	add	r0, r4, #FRAME_KEPT
	mov	r1, r4
	mov	r2, #KEPT_NR
1:	ldr	r3, [r0], #4
	str	r3, [r1], #4
	subs	r2, r2, #1
	bne	1b
	add	r0, r4, #RETURN_LEN
	str	r0, [r4, #FRAME_SP]
	mov	fp, r4
	bic	ip, r4, #7
	mov	sp, ip
#if KP_VECTORS
	/* There was room before. */
	KP_FIND_ROOM(2f)
2:
#endif
	mov	r0, r4
	bl	kp_core_on_return_abort
	b	returned
	.fnend
	.size kp_arch_return_entry, . - kp_arch_return_entry

#if KP_RETURN_STUBS
/*
 * Ready-made stubs under one unwind entry, and the table of their nodes, as far behind each
 * stub as its entry is: so an unwinder needs no number but that distance.  The tables of this
 * binary interface can load registers from where a register points to: of the function that is
 * to return to the stub, lr is the stub's address.  The host makes the table writable
 * before the first stub is used, and it is code no more.
 *
 * Unwinders look up the word before a return address: so one is in front.
 */
#define ALL_LEN (4 * (KP_RETURN_STUBS + 1))
#if ALL_LEN != 131072
#error "the unwind entry has that number"
#endif
	.p2align 12
	.type kp_arch_return_stubs, %function
	.fnstart
	/*
	 * sp = lr; sp += 131072; pop {r0}: the node
	 * sp = r0; pop {lr}: the real address; sp += 16; pop {sp}: the frame
	 */
	.unwind_raw 0, 0x9e, 0xb2, 0xff, 0xfe, 0x01, 0xb1, 0x01, 0x90, 0x84, 0x00, (NODE_FRAME - 8) / 4, 0x82, 0x00
	udf	#0
	.globl kp_arch_return_stubs
	.hidden kp_arch_return_stubs
kp_arch_return_stubs:
	.rept	KP_RETURN_STUBS
	bl	kp_arch_return_entry
	.endr
	.fnend
	.size kp_arch_return_stubs, . - kp_arch_return_stubs

	.globl kp_arch_return_nodes
	.hidden kp_arch_return_nodes
	.type kp_arch_return_nodes, %object
	.skip	4
kp_arch_return_nodes:
	.skip	4 * KP_RETURN_STUBS
	.size kp_arch_return_nodes, 4 * KP_RETURN_STUBS
#endif

	.section .note.GNU-stack, "", %progbits
