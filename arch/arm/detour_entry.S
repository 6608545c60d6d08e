/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * detour_entry.S - a hit through a jump.
 *
 * Owns: where heads and the stepped forms of slots go.  Both save the registers in a frame
 * (frame_asm.h), call the core, and go on as it says.  env_asm.h of the host supplies
 * KP_VECTORS (1: registers for floating point are live and handlers may use them), and with it
 *
 *   KP_FIND_ROOM(cramped)  is there room below sp for a handler?  sp may move to a stack
 *                          of the host's; or there is none: on to cramped.  It keeps
 *                          r4 to r11; sp stays on its boundary
 *   KP_CRAMPED_DETOUR, KP_CRAMPED_POST  the upcalls for then
 *
 * Where pre_handlers are all that a site has, and nothing is kept around them (serve.c of the
 * core), they are called here, one after the other.  With KP_DIRECT, which is for hosts without
 * KP_VECTORS, the host supplies macros for that; r0 to r3 and ip are scratch, and r8 to r11 are
 * the host's from the first of them on:
 *
 *   kp_direct_enter                    a reader
 *   kp_direct_begin SITE, FRAME, UNDO  at that site; or to UNDO: busy, or nothing for this way
 *   kp_direct_undo                     there: no reader
 *   kp_direct_note_nothing ZERO        handlers will run that leave nothing behind
 *   kp_direct_note                     or others
 *   kp_direct_current REG              whose
 *   kp_direct_forget ZERO              they are done; ZERO is 0.  Keeps r0
 *   kp_direct_end ZERO                 leave
 *
 * All of it is A32, and is come to from either set; a load of the PC goes back to either, with
 * all registers, so nothing of what follows stands in heads.  Invariants: nothing above the frame
 * is written unless a handler has moved the stack pointer; every register is what the core left
 * in the struct, and so are the flags, those of parallel additions, too.
 */
#include "env_asm.h"
#include "frame_asm.h"

/* struct kp_site; layout.h asserts the offsets. */
#define SITE_ADDR	0
#define SITE_KEEP	4
#define SITE_JUMP	8
#define SITE_FIRST	20
#define JUMP_IN		1
/* struct kp_child; ditto. */
#define CHILD_KP	0
#define CHILD_PRE	12
#define CHILD_RUN	20
#define CHILD_QUIET	40
/* The slot's site: a stepped form lies in the last 64 bytes of its slot, or fewer. */
#define SLOT_MASK	63
#define SLOT_SITE	60

	.syntax unified
	.arm
	.arch	armv7-a
	.section .text.kp_trap, "ax", %progbits

	.globl kp_arch_detour_begin
	.hidden kp_arch_detour_begin
kp_arch_detour_begin:

/* lr is where the data are, with bit 0 for T32: r2 becomes the state, r5 that address. */
.macro	begin_frame
	stm	sp, {r0-r12}
	mov	r3, r0
	mrs	r2, cpsr
	bic	r5, lr, #3
	bfi	r2, lr, #5, #1
.endm

/*
 * r7 is the site, r8 where to go on.  The frame is at r4, and sp on its boundary; r6 is 0.
 * What is behind the link register is written at once: frame.c asserts that it lies so.
 */
.macro	complete
	ldr	r1, [r7, #SITE_ADDR]
	mov	r6, #0
	mov	r5, r1
	add	ip, sp, #DETOUR_LEN
	str	ip, [sp, #FRAME_SP]
	add	ip, sp, #FRAME_PC
	stm	ip, {r1-r3, r5-r8}
	mov	r4, sp
	mov	fp, sp			/* the one that a kernel's unwinder keeps */
	bic	sp, sp, #7
.endm

/* How a kernel's unwinder goes on: as in return.S. */
.macro	unwound
#if KP_VECTORS
	.cantunwind
#else
	.unwind_raw 0, 0x9b, 0xb1, 0x0f, 0x8f, 0xff
#endif
.endm

.macro	begin_call cramped
	mov	r2, #0
#if KP_VECTORS
	KP_FIND_ROOM(\cramped)
	mov	r2, #0
	ldrb	r0, [r7, #SITE_KEEP]
	cmp	r0, #0
	beq	1f
	bl	kp_arch_save_image
1:
#endif
	mov	r0, r4
	mov	r1, r7
.endm

/* Only the frame is left, at sp.  Keeps r0. */
.macro	end_call
#if KP_VECTORS
	ldr	r1, [r4, #FRAME_IMAGE]
	cmp	r1, #0
	beq	1f
	bl	kp_arch_load_image
1:
#endif
.endm

#if KP_DIRECT
/* The handler in ip, of the child in r5; eq: there is no next one, which is in r5 then. */
.macro	run_child
	kp_direct_current r5
	ldr	r0, [r5, #CHILD_KP]
	mov	r1, r4
	blx	ip
	cmp	r0, #0
	bne	taken
	ldr	r5, [r5, #CHILD_RUN]
	cmp	r5, #0
.endm
#endif

	.p2align 4
	.globl kp_arch_detour_entry
	.hidden kp_arch_detour_entry
	.type kp_arch_detour_entry, %function
kp_arch_detour_entry:
	.fnstart
	unwound
	begin_frame
	/* Behind the head's code: the entry, the site, the body; behind a slot's, the entry. */
	ldmib	r5, {r7, r8}
	complete
#if KP_DIRECT
	kp_direct_enter
	/* As a reader, which keeps it. */
	ldr	r5, [r7, #SITE_FIRST]
	cmp	r5, #0
	beq	not_direct
	kp_direct_begin r7, r4, not_direct
	ldr	ip, [r5, #CHILD_QUIET]
	cmp	ip, #0
	beq	not_quiet
	kp_direct_note_nothing r6
run:
	run_child
	beq	all_run
	ldr	ip, [r5, #CHILD_QUIET]
	cmp	ip, #0
	bne	run
	/* From here on whatever they leave. */
not_quiet:
	kp_direct_note
	mov	fp, r4			/* as in complete */
run_noted:
	ldr	ip, [r5, #CHILD_PRE]
	run_child
	bne	run_noted
all_run:
	/* No barrier: the body serves who came before the jump went, whatever it loads later. */
	ldr	r1, [r7, #SITE_JUMP]
	cmp	r1, #JUMP_IN
	bne	taken
	kp_direct_forget r6
	kp_direct_end r6
	b	go_on

	/* It wants to go on elsewhere, or the jump is gone. */
taken:
	kp_direct_forget r6
	mov	r2, r0
	mov	r1, r7
	mov	r0, r4
	bl	kp_core_on_direct_end
	b	continue

not_direct:
	kp_direct_undo
#endif
	begin_call cramped
	bl	kp_core_on_detour
continue:
	end_call
	cmp	r0, #0
	bne	elsewhere

/* To FRAME_BACK, with bit 0 for T32, with all registers of the frame at r4. */
go_on:
	ldr	r1, [r4, #FRAME_SP]
	add	r2, r4, #DETOUR_LEN
	cmp	r1, r2
	bne	moved
	ldr	ip, [r4, #FRAME_CPSR]
	msr	APSR_nzcvqg, ip
	mov	sp, r4
	ldm	sp, {r0-r12}
	ldr	lr, [sp, #FRAME_LR]
	add	sp, sp, #FRAME_BACK
	pop	{pc}

elsewhere:
	bic	sp, r4, #7
	mov	r0, r4
	bl	kp_arm_target
	str	r0, [r4, #FRAME_BACK]
	b	go_on

/*
 * r1 is another stack, below which lr and r0 will be: and all that is needed is copied to
 * below them and the frame, as nothing below sp is safe from signals.
 */
moved:
	mov	sp, r4
	ldr	r0, [r4, #FRAME_BACK]
	sub	r1, r1, #8
	cmp	r1, sp
	movlo	sp, r1
	sub	sp, sp, #FRAME_KEPT
	mov	r2, #0
1:	ldr	r3, [r4, r2]
	str	r3, [sp, r2]
	add	r2, r2, #4
	cmp	r2, #FRAME_KEPT
	bne	1b
	mov	lr, sp
	ldr	r3, [lr, #FRAME_LR]
	str	r3, [r1]
	str	r0, [r1, #4]
	str	r1, [lr, #FRAME_SP]
	ldr	ip, [lr, #FRAME_CPSR]
	msr	APSR_nzcvqg, ip
	ldm	lr, {r0-r12}
	ldr	sp, [lr, #FRAME_SP]
	pop	{lr, pc}

#if KP_VECTORS
cramped:
	mov	r0, r4
	mov	r1, r7
	bl	KP_CRAMPED_DETOUR
	b	continue
#endif

/*
 * Not called: kp_arch_guard_detour lets an abandoned handler come here, frame in r4, sp
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
	mov	fp, r4
	mov	r0, r4
	bl	kp_core_on_detour_abort
	b	continue
	.fnend
	.size kp_arch_detour_entry, . - kp_arch_detour_entry

/* From a slot's stepped form; the instruction is done. */
	.p2align 4
	.globl kp_arch_post_entry
	.hidden kp_arch_post_entry
	.type kp_arch_post_entry, %function
kp_arch_post_entry:
	.fnstart
	unwound
	begin_frame
	bic	r5, r5, #SLOT_MASK
	ldr	r7, [r5, #SLOT_SITE]
	complete
	begin_call cramped_post
	bl	kp_core_on_post
posted:
	end_call
	b	elsewhere
#if KP_VECTORS
cramped_post:
	mov	r0, r4
	mov	r1, r7
	bl	KP_CRAMPED_POST
	b	posted
#endif
	.fnend
	.size kp_arch_post_entry, . - kp_arch_post_entry

	.globl kp_arch_detour_end
	.hidden kp_arch_detour_end
kp_arch_detour_end:

	.section .note.GNU-stack, "", %progbits
