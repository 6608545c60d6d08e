/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * detour_entry.S - a hit through a jump.
 *
 * Owns: where heads and the stepped forms of slots call.  Both save the registers in a
 * frame (frame_asm.h), call the core, and go on as it says.  env_asm.h of the host
 * supplies KP_CFI(directive), KP_VECTORS (1: registers for floating point are live and
 * handlers may use them), and with these
 *
 *   KP_FIND_ROOM(cramped)  is there room below sp for a handler?  sp may move to a stack
 *                          of the host's; or there is none: on to cramped.  It keeps
 *                          s1 and s2; sp stays on its boundary
 *   KP_CRAMPED_DETOUR, KP_CRAMPED_POST  the upcalls for then
 *
 * Invariants: nothing above the frame is written; every register is what the core left in
 * the struct.  To go on elsewhere with all of them takes a register that is not there: so
 * it is done by a trap, which kp_arch_resume resolves.
 */
#include "env_asm.h"
#include "frame_asm.h"

/* struct kp_site; layout.h asserts the offsets. */
#define SITE_ADDR	0
#define SITE_KEEP	8
#define SITE_STEP	40
#define SITE_DETOUR	48
#define DETOUR_NEXT	88
#define SITE_LEN	137
/* detour.c's head: from where its call returns to, to where its tag may begin. */
#define TO_TAG		8
#define BRANCH_OFF	4	/* and to what leads on, behind what leaves the frame */
/* The slot's site: a stepped form lies in the last 64 bytes of its slot, or fewer. */
#define SLOT_LEN	64
#define SLOT_SITE	56
/* In front of a step, and of a chain's second instruction, is what leaves the frame. */
#define POP_LEN		4	/* KP_RV_STEP_OFF */
/* The column that unwinders of C know for a PC that is no return address. */
#define PC_COLUMN	64

	.section .text.kp_trap, "ax", %progbits
	.option	norelax

	.globl kp_arch_detour_begin
	.hidden kp_arch_detour_begin
kp_arch_detour_begin:

/*
 * With all but x6 in the frame, the site in s2 and the address of what comes next in ra:
 * the rest.  The frame is at s1, and a0 and a1 are the core's arguments.
 */
.macro	complete
	addi	t0, sp, FRAME_LEN
	sd	t0, FRAME_X(2)(sp)
	ld	t0, SITE_ADDR(s2)
	sd	t0, FRAME_PC(sp)
	sd	t0, FRAME_SHOWN(sp)
	kp_state t0, t2
	sd	t0, FRAME_STATUS(sp)
	sd	zero, FRAME_BADADDR(sp)
	sd	zero, FRAME_CAUSE(sp)
	sd	a0, FRAME_ORIG_A0(sp)
	sd	zero, FRAME_IMAGE(sp)
	sd	ra, FRAME_BACK(sp)
	sd	s2, FRAME_SITE(sp)
	mv	s1, sp
	KP_CFI(.cfi_def_cfa s1, FRAME_LEN)
	describe FRAME_LEN
	KP_CFI(.cfi_offset PC_COLUMN, FRAME_SHOWN - FRAME_LEN)
.endm

.macro	begin_call cramped
	li	a2, 0
#if KP_VECTORS
	KP_FIND_ROOM(\cramped)
	li	a2, 0
	lbu	a0, SITE_KEEP(s2)
	beqz	a0, 1f
	call	kp_arch_save_image
1:
#endif
	mv	a0, s1
	mv	a1, s2
.endm

/* Only the frame is left, at sp.  Keeps a0. */
.macro	end_call
#if KP_VECTORS
	ld	t0, FRAME_IMAGE(s1)
	beqz	t0, 1f
	call	kp_arch_load_image
1:
#endif
	mv	sp, s1
.endm

/* To elsewhere unless the stack is where it was.  Keeps a0. */
.macro	check_stack
	ld	t0, FRAME_X(2)(sp)
	addi	t1, sp, FRAME_LEN
	bne	t0, t1, resume
.endm

/* A hub has done the first instruction, and comes to the second. */
	.p2align 6
	.globl kp_arch_detour_entry
	.hidden kp_arch_detour_entry
	.type kp_arch_detour_entry, %function
kp_arch_detour_entry:
	KP_CFI(.cfi_startproc)
	KP_CFI(.cfi_signal_frame)
	KP_CFI(.cfi_return_column PC_COLUMN)
	KP_CFI(.cfi_def_cfa sp, FRAME_LEN)
	c.sdsp	t1, FRAME_X(6)(sp)
	each_general sd
	addi	t0, ra, TO_TAG + 7
	andi	t0, t0, -8
	ld	s2, 0(t0)
	complete
	begin_call cramped
	call	kp_core_on_detour
continue:
	end_call
	bnez	a0, elsewhere
	/* To the head's rest, but with another stack. */
	ld	t0, FRAME_BACK(sp)
	addi	t0, t0, BRANCH_OFF
	ld	t1, FRAME_X(2)(sp)
	addi	t2, sp, FRAME_LEN
	beq	t1, t2, go_on
	sd	t0, FRAME_PC(sp)
	j	resume

	/* As the struct says: to the step's beginning, or behind it in the chain, if that is all. */
elsewhere:
	check_stack
	ld	t2, FRAME_SITE(sp)
	ld	t0, SITE_STEP(t2)
	ld	t1, FRAME_PC(sp)
	bne	t0, t1, next_in_chain
pop_before:
	addi	t1, t1, -POP_LEN
	sd	t1, FRAME_BACK(sp)

	/* There ra is taken from the frame, and that is left. */
go_on:
	ld	ra, FRAME_BACK(sp)
	ld	t1, FRAME_X(6)(sp)
	each_general ld
	ret

	/* t1 is where to go on, t2 the site. */
next_in_chain:
	ld	t0, SITE_DETOUR(t2)
	beqz	t0, resume
	ld	t0, DETOUR_NEXT(t0)
	beq	t0, t1, pop_before
	j	resume

#if KP_VECTORS
cramped:
	mv	a0, s1
	mv	a1, s2
	call	KP_CRAMPED_DETOUR
	j	continue
#endif

	/* kp_arch_resume knows this address and the frame at sp. */
resume:
	.globl kp_arch_detour_resume
	.hidden kp_arch_detour_resume
kp_arch_detour_resume:
	c.ebreak

/*
 * Not called: kp_arch_guard_detour lets an abandoned handler come here, frame in s1, sp
 * below the other registers' image, if there is one.
 */
	.globl kp_arch_detour_abort
	.hidden kp_arch_detour_abort
kp_arch_detour_abort:
#if KP_VECTORS
	/* There was room before. */
	KP_FIND_ROOM(1f)
1:
#endif
	mv	a0, s1
	call	kp_core_on_detour_abort
	j	continue
	KP_CFI(.cfi_endproc)
	.size kp_arch_detour_entry, . - kp_arch_detour_entry

/* From a slot's stepped form; the instruction is done. */
	.p2align 6
	.globl kp_arch_post_entry
	.hidden kp_arch_post_entry
	.type kp_arch_post_entry, %function
kp_arch_post_entry:
	KP_CFI(.cfi_startproc)
	KP_CFI(.cfi_signal_frame)
	KP_CFI(.cfi_return_column PC_COLUMN)
	KP_CFI(.cfi_def_cfa sp, FRAME_LEN)
	c.sdsp	t1, FRAME_X(6)(sp)
	each_general sd
	andi	t0, ra, -SLOT_LEN
	ld	s2, SLOT_SITE(t0)
	complete
	begin_call cramped_post
	call	kp_core_on_post
posted:
	end_call
	check_stack
	/* To the slot's rest, which leads behind the instruction; or to the chain's. */
	ld	t1, FRAME_PC(sp)
	ld	t2, FRAME_SITE(sp)
	lbu	t0, SITE_LEN(t2)
	ld	t3, FRAME_SHOWN(sp)
	add	t0, t0, t3
	beq	t0, t1, go_on
	j	next_in_chain
#if KP_VECTORS
cramped_post:
	mv	a0, s1
	mv	a1, s2
	call	KP_CRAMPED_POST
	j	posted
#endif
	KP_CFI(.cfi_endproc)
	.size kp_arch_post_entry, . - kp_arch_post_entry

	.globl kp_arch_detour_end
	.hidden kp_arch_detour_end
kp_arch_detour_end:
	c.unimp

	.section .note.GNU-stack, "", %progbits
