/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * detour_entry.S - a hit through a jump.
 *
 * Owns: where heads and the stepped forms of slots call.  Both save the registers in a
 * frame (frame_asm.h), call the core, and go on as it says.  env_asm.h of the host
 * supplies KP_CFI(directive), KP_RET, KP_REGPARM (entry.S), KP_VECTORS (1: vector registers are live and handlers may
 * use them), and with these
 *
 *   KP_FIND_ROOM(cramped)  is there room below esp for a handler?  esp may move to a stack
 *                          of the host's; or there is none: on to cramped.  It keeps ebx
 *                          and esi; esp stays on its boundary
 *   KP_CRAMPED_DETOUR, KP_CRAMPED_POST  the upcalls for then
 *
 * Where pre_handlers are all that a site has, and nothing is kept around them (serve.c of the
 * core), they are called here, one after the other.  With KP_DIRECT, which is for hosts without
 * KP_VECTORS and with KP_REGPARM, the host supplies macros for that; eax and ecx are scratch:
 *
 *   kp_direct_begin SITE, FRAME, UNDO  a reader, at that site; or to UNDO: busy, or nothing
 *                                      for this way
 *   kp_direct_undo                     there: as if it had not begun
 *   kp_direct_note_nothing             handlers will run that leave nothing behind
 *   kp_direct_note                     or others
 *   kp_direct_current REG              whose; keeps all registers, as do the other two
 *   kp_direct_forget                   they are done
 *   kp_direct_end                      leave
 *
 * Invariants: nothing above the frame is written; every register, flags included, is what
 * the core left in the struct.  An interrupt return loads no stack pointer in this mode:
 * who goes on with another one traps, which kp_arch_resume resolves.
 */
#include "env_asm.h"
#include "child_asm.h"
#include "frame_asm.h"

/* struct kp_site; layout.h asserts the offsets. */
#define SITE_ADDR	0
#define SITE_KEEP	4
#define SITE_JUMP	8
#define SITE_FIRST	20
#define JUMP_IN		1
/* detour.c's head: from the call's return address to the tag. */
#define TO_TAG		5
/* The slot's site: a stepped form lies in the last 64 bytes of its slot, or fewer. */
#define SLOT_LEN	64
#define SLOT_SITE	60

/* The columns of unwinders. */
#define PC_COLUMN	8

	.section .text.kp_trap, "ax", @progbits

	.globl kp_arch_detour_begin
	.hidden kp_arch_detour_begin
kp_arch_detour_begin:

/* Where unwinders find the registers once the frame is at ebx, SHOWN included. */
.macro	describe
	KP_CFI(.cfi_def_cfa ebx, FRAME_STACK)
	KP_CFI(.cfi_offset eax, FRAME_AX - FRAME_STACK)
	KP_CFI(.cfi_offset ecx, FRAME_CX - FRAME_STACK)
	KP_CFI(.cfi_offset edx, FRAME_DX - FRAME_STACK)
	KP_CFI(.cfi_offset ebx, FRAME_BX - FRAME_STACK)
	KP_CFI(.cfi_offset ebp, FRAME_BP - FRAME_STACK)
	KP_CFI(.cfi_offset esi, FRAME_SI - FRAME_STACK)
	KP_CFI(.cfi_offset edi, FRAME_DI - FRAME_STACK)
	KP_CFI(.cfi_offset PC_COLUMN, FRAME_SHOWN - FRAME_STACK)
.endm

/* The site is in esi, ip as handlers see it in ecx: the words below the frame at ebx. */
.macro	complete
	mov	%ecx, FRAME_IP(%ebx)
	push	SITE_ADDR(%esi)
	describe
#if KP_VECTORS
	push	$0
	and	$-16, %esp
#endif
.endm

/* The core's arguments, with the vector registers kept if anybody changes them. */
.macro	begin_call cramped
	xor	%edi, %edi
#if KP_VECTORS
	KP_FIND_ROOM(\cramped)
	movzbl	SITE_KEEP(%esi), %edi
	test	%edi, %edi
	jz	1f
	call	kp_arch_image_room
	sub	%eax, %esp
	and	$-64, %esp
	mov	%esp, %edx
	sub	$8, %esp
	push	%edi
	push	%edx
	mov	%edx, %edi
	mov	%edi, FRAME_IMAGE(%ebx)
	call	kp_arch_save_image
1:
#endif
#if KP_REGPARM
	mov	%ebx, %eax
	mov	%esi, %edx
	mov	%edi, %ecx
#else
	sub	$4, %esp
	push	%edi
	push	%esi
	push	%ebx
#endif
.endm

/* eax, what the core said, is in edi then. */
.macro	end_call
	mov	%eax, %edi
#if KP_VECTORS
	mov	FRAME_IMAGE(%ebx), %eax
	test	%eax, %eax
	jz	1f
	mov	%eax, %esp
	sub	$12, %esp
	push	%eax
	call	kp_arch_load_image
1:
#endif
.endm

#if KP_DIRECT
/* The handler in ecx, of the child in edi; ZF: there is no next one, which is in edi then. */
.macro	run_child
	kp_direct_current edi
	mov	CHILD_KP(%edi), %eax
	mov	%ebx, %edx
	KP_CALL_REG(ecx)
	test	%eax, %eax
	jnz	taken
	mov	CHILD_RUN(%edi), %edi
	test	%edi, %edi
.endm
#endif

	.p2align 6
	.globl kp_arch_detour_entry
	.hidden kp_arch_detour_entry
	.type kp_arch_detour_entry, @function
kp_arch_detour_entry:
	KP_CFI(.cfi_startproc)
	KP_CFI(.cfi_signal_frame)
	KP_CFI(.cfi_def_cfa esp, FRAME_STACK - FRAME_IP)
	push_general
	KP_CFI(.cfi_def_cfa_offset FRAME_STACK)
	mov	FRAME_IP(%esp), %eax
	mov	%eax, FRAME_RA(%esp)
	mov	%esp, %ebx
	/* A head's tag need not lie on a word's boundary, which with AC it had to. */
	usual_flags
	mov	TO_TAG(%eax), %esi
	mov	SITE_ADDR(%esi), %ecx
	inc	%ecx
	complete
#if KP_DIRECT
	kp_direct_begin esi, ebx, not_direct
	/* As a reader, which keeps it. */
	mov	SITE_FIRST(%esi), %edi
	test	%edi, %edi
	jz	none_direct
	mov	CHILD_QUIET(%edi), %ecx
	test	%ecx, %ecx
	jz	not_quiet
	kp_direct_note_nothing
run:
	run_child
	jz	all_run
	mov	CHILD_QUIET(%edi), %ecx
	test	%ecx, %ecx
	jnz	run
	/* From here on whatever they leave. */
not_quiet:
	kp_direct_note
run_noted:
	mov	CHILD_PRE(%edi), %ecx
	run_child
	jnz	run_noted
all_run:
	cmpl	$JUMP_IN, SITE_JUMP(%esi)
	jne	taken
	kp_direct_forget
	kp_direct_end
	jmp	same

	/* It wants to go on elsewhere, or the jump is gone. */
taken:
	kp_direct_forget
	mov	%eax, %ecx
	mov	%esi, %edx
	mov	%ebx, %eax
	call	kp_core_on_direct_end
	jmp	continue

none_direct:
	kp_direct_end
	jmp	general
not_direct:
	kp_direct_undo
general:
#endif
	begin_call cramped
	call	kp_core_on_detour
continue:
	end_call
	test	%edi, %edi
	jnz	elsewhere
same:
	lea	FRAME_STACK(%ebx), %edx
	cmp	%edx, FRAME_SP(%ebx)
	jne	moved_stack
go_on:
	mov	FRAME_FLAGS(%ebx), %eax
	test	$FRAME_UNUSUAL | FRAME_OF, %eax
	jnz	odd
	mov	%al, %ah
	sahf
load:
	KP_CFI(.cfi_remember_state)
	pop_general
	KP_CFI(.cfi_def_cfa esp, FRAME_STACK - FRAME_DS)
	lea	FRAME_RA - FRAME_DS(%esp), %esp
	KP_CFI(.cfi_def_cfa_offset FRAME_STACK - FRAME_RA)
	KP_RET
	KP_CFI(.cfi_restore_state)

	/* Of these OF can be had by an addition. */
odd:
	test	$FRAME_UNUSUAL, %eax
	jnz	slow
	mov	%al, %ah
	mov	$127, %al
	add	$1, %al
	sahf
	jmp	load
slow:
	KP_CFI(.cfi_remember_state)
	mov	%eax, FRAME_SS(%ebx)
	pop_general
	KP_CFI(.cfi_def_cfa esp, FRAME_STACK - FRAME_DS)
	lea	FRAME_SS - FRAME_DS(%esp), %esp
	KP_CFI(.cfi_def_cfa_offset FRAME_STACK - FRAME_SS)
	popf
	KP_CFI(.cfi_def_cfa_offset FRAME_STACK - FRAME_RA)
	KP_RET
	KP_CFI(.cfi_restore_state)

#if KP_VECTORS
cramped:
	sub	$8, %esp
	push	%esi
	push	%ebx
	call	KP_CRAMPED_DETOUR
	jmp	continue
#endif

	/* A handler has moved the stack: to the head's rest, but over there. */
moved_stack:
	mov	FRAME_RA(%ebx), %edx
	mov	%edx, FRAME_IP(%ebx)
	jmp	resume

	/* As the struct says. */
elsewhere:
	lea	FRAME_STACK(%ebx), %edx
	cmp	%edx, FRAME_SP(%ebx)
	jne	resume
	mov	FRAME_IP(%ebx), %edx
	mov	%edx, FRAME_RA(%ebx)
	/* What was emulated may have changed any flag: sti, popf. */
	mov	FRAME_FLAGS(%ebx), %eax
	jmp	slow

	/* kp_arch_resume knows this address and the frame at ebx. */
resume:
	.globl kp_arch_detour_resume
	.hidden kp_arch_detour_resume
kp_arch_detour_resume:
	int3

/*
 * Not called: kp_arch_guard_detour lets an abandoned handler come here, frame in ebx; what
 * was below its words is garbage, but for the vector registers.
 */
	.globl kp_arch_detour_abort
	.hidden kp_arch_detour_abort
kp_arch_detour_abort:
	lea	FRAME_IMAGE(%ebx), %esp
#if KP_VECTORS
	mov	FRAME_IMAGE(%ebx), %eax
	test	%eax, %eax
	jz	1f
	mov	%eax, %esp
1:
	and	$-16, %esp
	/* There was room before. */
	KP_FIND_ROOM(1f)
1:
#endif
	call_with_frame kp_core_on_detour_abort
	jmp	continue
	KP_CFI(.cfi_endproc)
	.size kp_arch_detour_entry, . - kp_arch_detour_entry

/* From a slot's stepped form; the instruction is done. */
	.p2align 6
	.globl kp_arch_post_entry
	.hidden kp_arch_post_entry
	.type kp_arch_post_entry, @function
kp_arch_post_entry:
	KP_CFI(.cfi_startproc)
	KP_CFI(.cfi_signal_frame)
	KP_CFI(.cfi_def_cfa esp, FRAME_STACK - FRAME_RA)
	push_machine
	push	$0
	push_general
	KP_CFI(.cfi_def_cfa_offset FRAME_STACK)
	mov	%esp, %ebx
	usual_flags
	mov	FRAME_RA(%ebx), %ecx
	mov	%ecx, %eax
	and	$-SLOT_LEN, %eax
	mov	SLOT_SITE(%eax), %esi
	complete
	begin_call cramped_post
	call	kp_core_on_post
posted:
	end_call
	jmp	elsewhere
#if KP_VECTORS
cramped_post:
	sub	$8, %esp
	push	%esi
	push	%ebx
	call	KP_CRAMPED_POST
	jmp	posted
#endif
	KP_CFI(.cfi_endproc)
	.size kp_arch_post_entry, . - kp_arch_post_entry

	.globl kp_arch_detour_end
	.hidden kp_arch_detour_end
kp_arch_detour_end:
	int3

	.section .note.GNU-stack, "", @progbits
