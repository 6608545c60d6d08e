/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * detour_entry.S - a hit through a jump.
 *
 * Owns: where heads and the stepped forms of slots call.  Both save the registers in a
 * frame (frame_asm.h), call the core, and go on as it says.  env_asm.h of the host
 * supplies KP_CFI(directive), KP_VECTORS (1: vector registers are live and handlers may
 * use them), and
 *
 *   KP_FIND_ROOM(cramped)  is there room below sp for a handler?  sp may move to a stack
 *                          of the host's; or there is none: on to cramped.  It keeps
 *                          x19 and x20; sp stays on its boundary
 *   KP_CRAMPED_DETOUR, KP_CRAMPED_POST  the upcalls for then
 *   kp_state reg, scratch  to the flags in reg: what else handlers see of the state
 *
 * Invariants: nothing above the frame is written; every register, flags included, is
 * what the core left in the struct.  To go on elsewhere with all of them takes a
 * register that is not there: so it is done by a trap, which kp_arch_resume resolves.
 */
#include "env_asm.h"
#include "frame_asm.h"

/* struct kp_site; core/detour.c asserts the offsets. */
#define SITE_ADDR	0
#define SITE_KEEP	8
#define SITE_STEP	40
/* detour.c's head: from where its call returns to, to the tag. */
#define TO_TAG		8
/* The slot's site: a stepped form lies in the last 64 bytes of its slot, or fewer. */
#define SLOT_LEN	64
#define SLOT_SITE	56
#define STEP_OFF	4	/* KP_A64_STEP_OFF */
#define INSN_LEN	4
/* The column that unwinders of C know for a PC that is no return address. */
#define PC_COLUMN	96

	.section .text.kp_trap, "ax", %progbits

	.globl kp_arch_detour_begin
	.hidden kp_arch_detour_begin
kp_arch_detour_begin:

/*
 * With x16 and x17 in the frame, the site in x20 and the address of what comes next in
 * x30, after all others: the rest.  The frame is at x19, and x0 and x1 are the core's
 * arguments.  past: to the PC that handlers see.
 */
.macro	complete past
	mrs	x1, nzcv
	kp_state x1, x5
	add	x2, sp, #FRAME_LEN
	str	x2, [sp, #FRAME_SP]
	ldr	x3, [x20, #SITE_ADDR]
	add	x4, x3, #\past
	stp	x4, x1, [sp, #FRAME_PC]
	stp	x3, xzr, [sp, #FRAME_SHOWN]
	stp	x30, x20, [sp, #FRAME_BACK]
	mov	x19, sp
	mov	x29, sp
	KP_CFI(.cfi_def_cfa x19, FRAME_LEN)
	describe FRAME_LEN
	KP_CFI(.cfi_offset PC_COLUMN, FRAME_SHOWN - FRAME_LEN)
.endm

.macro	begin_call cramped
#if KP_VECTORS
	KP_FIND_ROOM(\cramped)
	mov	x2, #0
	ldrb	w0, [x20, #SITE_KEEP]
	cbz	w0, 1f
	bl	kp_arch_save_image
1:
#else
	mov	x2, #0
#endif
	add	x0, x19, #FRAME_REGS
	mov	x1, x20
.endm

/* Only the frame is left, at sp.  Keeps x0. */
.macro	end_call
#if KP_VECTORS
	ldr	x9, [x19, #FRAME_IMAGE]
	cbz	x9, 1f
	bl	kp_arch_load_image
1:
#endif
	mov	sp, x19
.endm

/* To elsewhere unless the stack is where it was.  Keeps x0. */
.macro	check_stack
	ldr	x9, [sp, #FRAME_SP]
	add	x10, sp, #FRAME_LEN
	cmp	x9, x10
	b.ne	resume
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
	stp	x16, x17, [sp, #FRAME_X(16)]
	store_general
	ldr	x20, [x30, #TO_TAG]
	complete 0
	begin_call cramped
	bl	kp_core_on_detour
continue:
	end_call
	cbnz	x0, elsewhere
	/* To the head's rest, but with another stack. */
	ldr	x9, [sp, #FRAME_BACK]
	add	x9, x9, #INSN_LEN
	ldr	x10, [sp, #FRAME_SP]
	add	x11, sp, #FRAME_LEN
	cmp	x10, x11
	b.eq	go_on
	str	x9, [sp, #FRAME_PC]
	b	resume

	/* As the struct says: to the step's beginning, if that is all. */
elsewhere:
	check_stack
	ldr	x9, [sp, #FRAME_SITE]
	ldr	x9, [x9, #SITE_STEP]
	ldr	x10, [sp, #FRAME_PC]
	cmp	x9, x10
	b.ne	resume
	sub	x9, x9, #STEP_OFF
	str	x9, [sp, #FRAME_BACK]

	/* There the two words at sp are taken, and the frame is left. */
go_on:
	ldp	x0, x1, [sp, #FRAME_X(29)]
	stp	x0, x1, [sp]
	ldr	x30, [sp, #FRAME_BACK]
	ldr	x0, [sp, #FRAME_PSTATE]
	msr	nzcv, x0
	load_general
	ret

#if KP_VECTORS
cramped:
	add	x0, x19, #FRAME_REGS
	bl	KP_CRAMPED_DETOUR
	b	continue
#endif

	/* kp_arch_resume knows this address and the frame at sp. */
resume:
	.globl kp_arch_detour_resume
	.hidden kp_arch_detour_resume
kp_arch_detour_resume:
	brk	#0x6b70

/*
 * Not called: kp_arch_guard_detour lets an abandoned handler come here, frame in x19,
 * sp below the vector registers' image, if there is one.
 */
	.globl kp_arch_detour_abort
	.hidden kp_arch_detour_abort
kp_arch_detour_abort:
#if KP_VECTORS
	/* There was room before. */
	KP_FIND_ROOM(1f)
1:
#endif
	add	x0, x19, #FRAME_REGS
	bl	kp_core_on_detour_abort
	b	continue
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
	stp	x16, x17, [sp, #FRAME_X(16)]
	store_general
	and	x9, x30, #-SLOT_LEN
	ldr	x20, [x9, #SLOT_SITE]
	complete INSN_LEN
	begin_call cramped_post
	bl	kp_core_on_post
posted:
	end_call
	check_stack
	/* To the slot's rest, which leads there. */
	ldr	x9, [sp, #FRAME_PC]
	ldr	x10, [sp, #FRAME_SHOWN]
	add	x10, x10, #INSN_LEN
	cmp	x9, x10
	b.eq	go_on
	b	resume
#if KP_VECTORS
cramped_post:
	add	x0, x19, #FRAME_REGS
	bl	KP_CRAMPED_POST
	b	posted
#endif
	KP_CFI(.cfi_endproc)
	.size kp_arch_post_entry, . - kp_arch_post_entry

	.globl kp_arch_detour_end
	.hidden kp_arch_detour_end
kp_arch_detour_end:
	udf	#0

	.section .note.GNU-stack, "", %progbits
