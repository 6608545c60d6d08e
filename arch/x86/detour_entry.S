/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * detour_entry.S - a hit through a jump.
 *
 * Owns: where heads and the stepped forms of slots call.  Both save the
 * registers in a struct pt_regs, call the core, and go on as it says.
 * env_asm.h of the host supplies KP_CFI, KP_RET, KP_NONSTANDARD(function),
 * with vectors KP_FIND_ROOM and the upcalls for where there is none,
 * KP_VECTORS (1: vector registers are live and handlers may use them) and
 * KP_RED_ZONE: bytes below the stack pointer that may be live, skipped by
 * whoever calls.
 *
 * Most hits are served here, by fields that the core keeps for this in its sites
 * (site.h): a site's lean children (port/arch.h) with hardly a register saved
 * that such a handler does not find or change; pre_handlers one after the other,
 * with the whole frame, and the vector registers if one of them may change some.
 * With KP_LEAN the host supplies macros for that; CTX is a register that they may
 * use for theirs from begin to end, and rax and rcx are scratch:
 *
 *   kp_direct_begin CTX, UNDO   a reader, at the site in rdx, with its frame in rsi;
 *                               or to UNDO: busy, or nothing for this way
 *   kp_direct_undo              there: as if it had not begun
 *   kp_direct_site CTX, REG     at which site it is
 *   kp_direct_end CTX           leave
 *   kp_direct_note CTX          handlers will run that may leave something behind
 *   kp_direct_vectors CTX, REG  with KP_VECTORS: where they are kept
 *   kp_direct_current CTX, REG  whose
 *   kp_direct_forget CTX        they are done; or what errno is to be matters no more
 *
 * What does not fit goes to the core (detour.c) with a complete frame.
 *
 * Invariants: nothing above the frame and nothing below the probed code's
 * stack pointer, its red zone included, is written; every register, flags
 * included, is what the core left in the struct.  detour_asm.h has the frame.
 */
#include "env_asm.h"
#include "frame_asm.h"
#include "detour_asm.h"

/* struct kp_site, struct kp_child; core/detour.c asserts the offsets. */
#define SITE_ADDR 0
#define SITE_KEEP 8
#define SITE_LEAN 16
#define SITE_LEAN_POST 24
#define SITE_FIRST 32
#define SITE_STEP 40
#define SITE_DETOUR 48
#define SITE_KEPT 64
#define SITE_LEN 137		/* of the instruction */
#define DETOUR_CHAIN 0
#define CHILD_KP KP_ARCH_CHILD_KP
#define CHILD_LEAN 8
#define CHILD_LEAN_POST 16
#define CHILD_PRE 24
#define CHILD_SITE 32
#define CHILD_RUN 40
#define CHILD_CALLS 48
#define CHILD_KEEP 49
#define CHILD_FILTERS 50
#define LEAN_CALLS 2
#define JMP 0xe9
#define POSTING 1		/* in orig_ax: it is a lean post_handler */

	.section .text.kp_trap, "ax", @progbits

	.globl kp_arch_detour_begin
	.hidden kp_arch_detour_begin
kp_arch_detour_begin:
	KP_NO_TARGET

/*
 * The frame at rsp has what a lean handler finds; so do the rest, its ip being in
 * rcx, and the words below it.  Site in rdx; then the frame is at rbx.  Keeps rax.
 */
.macro	complete
	store_kept
	saved	6, RBP
	saved	12, R12
	saved	13, R13
	saved	14, R14
	saved	15, R15
	push	SITE_ADDR(%rdx)
	KP_CFI(.cfi_adjust_cfa_offset 8)
	KP_CFI(.cfi_offset rip, SHOWN - STACK)
	mov	%rcx, 8 + RIP(%rsp)
#if KP_VECTORS
	push	$0
	KP_CFI(.cfi_adjust_cfa_offset 8)
#else
	push	EFLAGS + 8(%rsp)
#endif
	lea	16(%rsp), %rbx
	KP_CFI(.cfi_def_cfa rbx, STACK)
#if KP_VECTORS
	and	$-16, %rsp
#endif
.endm

/*
 * Before the core is called: its arguments, of a complete frame and the site in
 * rdx.  Where vectors are live, cramped: where to go on when the stack has no room
 * for handlers, and nothing more may be written to it.
 */
.macro	begin_call cramped
	mov	%rdx, %rsi
#if KP_VECTORS
	KP_FIND_ROOM(\cramped)
	xor	%edx, %edx
	movzbl	SITE_KEEP(%rsi), %eax
	test	%eax, %eax
	jz	2f
	call	kp_arch_save_image
2:
#endif
	mov	%rbx, %rdi
.endm

.macro	end_call
#if KP_VECTORS
	cmpq	$0, IMAGE(%rbx)
	je	2f
	call	kp_arch_load_image
2:
#endif
.endm

/*
 * The flags in rax for the probed code, by what is fast: ah has all but OF,
 * which the test leaves clear.
 */
.macro	load_flags odd
#if !KP_VECTORS
	cmp	FLAGS(%rbx), %rax
	jne	\odd
#endif
	test	$UNUSUAL | OF, %eax
	jnz	\odd
	mov	%al, %ah
	sahf
.endm

/* The same when OF is set; whatever else may be odd goes to slow. */
.macro	load_odd_flags slow
#if !KP_VECTORS
	cmp	FLAGS(%rbx), %rax
	jne	\slow
#endif
	test	$UNUSUAL, %eax
	jnz	\slow
	test	$OF, %eax
	jz	\slow
	mov	%al, %ah
	mov	$127, %al
	add	$1, %al
	sahf
.endm

/*
 * The registers are what they were.  From here on what is more than 128 bytes below
 * the stack pointer is anybody's; ip is not.
 */
.macro	loaded
	.irp	n, 0,1,2,3,4,5,6,8,9,10,11,12,13,14,15
	KP_CFI(.cfi_restore \n)
	.endr
	KP_CFI(.cfi_offset rip, RIP - STACK)
.endm

/* Only the frame is left. */
.macro	drop_words
	mov	%rbx, %rsp
	KP_CFI(.cfi_def_cfa_register rsp)
.endm

/* To where TOP says, rsp being there. */
.macro	return_to
#if KP_RED_ZONE
	ret	$KP_RED_ZONE
#else
	KP_RET_FLAGS
#endif
.endm

/*
 * What is not yet in the frame at rsp, after a lean handler, and where the hit is;
 * then as after complete, with the core's first two arguments.
 */
.macro	make_whole
	mov	ORIG_AX(%rsp), %rcx
	mov	%rcx, %rsi
	and	$-2, %rsi
	mov	CHILD_SITE(%rsi), %rdx
	and	$POSTING, %ecx
	mov	$1, %ecx
	movzbl	SITE_LEN(%rdx), %r8d
	cmovnz	%r8d, %ecx
	add	SITE_ADDR(%rdx), %rcx
	complete
	mov	%rbx, %rdi
	mov	%rdx, %rsi
.endm

#if KP_LEAN
/* Ours below the frame, while a lean handler runs: SHOWN. */
#if KP_VECTORS
#define LEAN_WORDS 8
#else
#define LEAN_WORDS 0
#endif

/* All but the stack is as before the hit, rsp being where TOP is.  OF is clear. */
.macro	load_lean
	mov	EFLAGS + LEAN_WORDS(%rsp), %ah
	sahf
	lea	RBX + LEAN_WORDS(%rsp), %rsp
	KP_CFI(.cfi_def_cfa_offset STACK - RBX)
	.irp	reg, rbx, r11, r10, r9, r8, rax, rcx, rdx, rsi, rdi
	pop	%\reg
	KP_CFI(.cfi_adjust_cfa_offset -8)
	.endr
	lea	TOP - ORIG_AX(%rsp), %rsp
	KP_CFI(.cfi_def_cfa_offset STACK - TOP)
.endm

/*
 * The site in rdx has a lean child at lean, or had a moment ago: then it is in rax,
 * and in the frame, plus mark, in orig_ax; the frame is in rsi, and this is a
 * reader.  Otherwise on to none, with the frame at rsp.
 */
.macro	lean_begin lean, mark, none
#if KP_VECTORS
	push	SITE_ADDR(%rdx)
	KP_CFI(.cfi_adjust_cfa_offset 8)
#endif
	lea	LEAN_WORDS(%rsp), %rsi
	kp_direct_begin rbx, lean_not\@
	/* As a reader, which keeps it. */
	mov	\lean(%rdx), %rax
	test	%rax, %rax
	jnz	lean\@
	kp_direct_end rbx
	jmp	lean_none\@
lean_not\@:
	kp_direct_undo
lean_none\@:
	KP_CFI(.cfi_remember_state)
	lea	LEAN_WORDS(%rsp), %rsp
	KP_CFI(.cfi_def_cfa rsp, STACK)
	jmp	\none
	KP_CFI(.cfi_restore_state)
lean\@:
	.if \mark
	lea	\mark(%rax), %rcx
	mov	%rcx, ORIG_AX + LEAN_WORDS(%rsp)
	.else
	mov	%rax, ORIG_AX + LEAN_WORDS(%rsp)
	.endif
.endm

/* Of a hit whose frame is at rbx: the pre_handler of the child in r12. */
.macro	run_child
	kp_direct_current rbp, r12
	mov	CHILD_KP(%r12), %rdi
	mov	CHILD_PRE(%r12), %rax
	mov	%rbx, %rsi
	KP_CALL_REG(rax)
	test	%eax, %eax
	jnz	direct_takes_over
.endm

/*
 * From the frame at rbx, for the site in rdx: the children that run one after the
 * other, from the one at first on, which is in r12 then; the site is in r13.
 */
.macro	direct_begin first
	mov	%rbx, %rsi
	kp_direct_begin rbp, not_direct
	/* As a reader, which keeps it. */
	mov	\first(%rdx), %r12
	test	%r12, %r12
	jz	none_direct
	kp_direct_note rbp
	mov	%rdx, %r13
.endm

/* eax is 0.  On to the next child at run; behind the last, all is done. */
.macro	direct_end run
	mov	CHILD_RUN(%r12), %r12
	test	%r12, %r12
	jnz	\run
	cmpl	$JUMP_IN, SITE_JUMP(%r13)
	jne	direct_takes_over
	kp_direct_forget rbp
	kp_direct_end rbp
.endm
#endif

/* In a process a hub may lie between head and entry; it changes nothing. */
	.p2align 6
	.globl kp_arch_detour_entry
	.hidden kp_arch_detour_entry
	.type kp_arch_detour_entry, @function
kp_arch_detour_entry:
	KP_CFI(.cfi_startproc)
	KP_CFI(.cfi_signal_frame)
	KP_CFI(.cfi_def_cfa rsp, STACK - RIP)
	shown_by_head
	push_few
#if KP_BALANCED
	/* Here, with these, call_entry.S comes with what it does not serve. */
	.globl kp_arch_detour_few
	.hidden kp_arch_detour_few
kp_arch_detour_few:
#endif
	push_more
	mov	RIP(%rsp), %rax
	mov	%rax, TOP(%rsp)
	/* As pushed, it was where ss stands. */
	addq	$STACK - SS, RSP(%rsp)
	/*
	 * Until the flags are what a function expects, only words that lie on their
	 * boundary may be touched: a head's tag is none.
	 */
	testl	$UNUSUAL | OF, EFLAGS(%rsp)
	jnz	odd_flags
	mov	TO_TAG(%rax), %rdx
#if KP_LEAN
	cmpq	$0, SITE_LEAN(%rdx)
	je	not_lean
	lean_begin SITE_LEAN, 0, usual
	mov	CHILD_KP(%rax), %rdi
	mov	CHILD_LEAN(%rax), %rax
	KP_CALL_REG(rax)
	test	%eax, %eax
	jnz	lean_says
	kp_direct_site rbx, rdx
	cmpl	$JUMP_IN, SITE_JUMP(%rdx)
	jne	lean_takes_over
lean_end:
	kp_direct_end rbx
	KP_CFI(.cfi_remember_state)
	load_lean
	return_to
	KP_CFI(.cfi_restore_state)

	/*
	 * One of ours may have the function called: the address in a stub that stands
	 * in the place of the return address, is where that call returns to.  With a
	 * return to there, one return is predicted wrongly, and the function's own
	 * and the one to its caller are not.
	 */
lean_says:
	mov	ORIG_AX + LEAN_WORDS(%rsp), %rcx
	cmpb	$0, CHILD_FILTERS(%rcx)
	jne	filter_says
#if KP_BALANCED
	cmpb	$0, CHILD_CALLS(%rcx)
	je	lean_takes_over
	cmp	$LEAN_CALLS, %eax
	jne	lean_takes_over
	mov	$0, %eax
	kp_direct_site rbx, rdx
	mov	STACK + LEAN_WORDS(%rsp), %rcx
	lea	-CALL_LEN(%rcx), %rcx
	cmpl	$JUMP_IN, SITE_JUMP(%rdx)
	jne	lean_takes_over
	mov	%rcx, TOP + LEAN_WORDS(%rsp)
	kp_direct_end rbx
	KP_CFI(.cfi_remember_state)
	load_lean
	ret	$KP_RED_ZONE + 8
	KP_CFI(.cfi_restore_state)
#else
	jmp	lean_takes_over
#endif

	/* The hit is for the filter's pre_handler: as if there were no filter. */
filter_says:
	KP_CFI(.cfi_remember_state)
	kp_direct_site rbx, rdx
	kp_direct_end rbx
	lea	LEAN_WORDS(%rsp), %rsp
	KP_CFI(.cfi_def_cfa rsp, STACK)
	jmp	usual
	KP_CFI(.cfi_restore_state)

	/*
	 * With a lean post_handler: behind a pre_handler, if there is one, the
	 * instruction's stepped form is next, not the head's rest.
	 */
not_lean:
	KP_CFI(.cfi_remember_state)
	KP_CFI(.cfi_def_cfa rsp, STACK)
	cmpq	$0, SITE_LEAN_POST(%rdx)
	je	usual
	lean_begin SITE_LEAN_POST, 0, usual
	mov	CHILD_KP(%rax), %rdi
	mov	CHILD_LEAN(%rax), %rax
	test	%rax, %rax
	jz	1f
	KP_CALL_REG(rax)
	test	%eax, %eax
	jnz	lean_takes_over
1:	kp_direct_site rbx, rdx
	mov	SITE_STEP(%rdx), %rax
	/* Does this head's rest, a jump, lead there? */
	mov	TOP + LEAN_WORDS(%rsp), %rcx
	movslq	1(%rcx), %rdx
	lea	CALL_LEN(%rcx, %rdx), %rcx
	cmp	%rax, %rcx
	je	lean_end
	mov	%rax, TOP + LEAN_WORDS(%rsp)
	cmp	%eax, %eax			/* OF, for lean_end */
	jmp	lean_end

	/* It wants to go on elsewhere, or the jump is gone. */
lean_takes_over:
	lea	LEAN_WORDS(%rsp), %rsp
	KP_CFI(.cfi_def_cfa_offset STACK)
	make_whole
	mov	%eax, %edx
	call	kp_core_on_direct_end
	jmp	continue

/*
 * Not called: kp_arch_guard_lean lets an abandoned handler come here, frame in
 * rbx, and what the frame lacks in its registers.
 */
	.globl kp_arch_lean_abort
	.hidden kp_arch_lean_abort
kp_arch_lean_abort:
	KP_NO_TARGET
	mov	%rbx, %rsp
	KP_CFI(.cfi_def_cfa rsp, STACK)
	make_whole
	call	kp_core_on_detour_abort
	jmp	continue
	KP_CFI(.cfi_restore_state)
	KP_CFI(.cfi_def_cfa rsp, STACK)
#endif

odd_flags:
	mov	EFLAGS(%rsp), %eax
	usual_flags
	mov	TOP(%rsp), %rax
	mov	TO_TAG(%rax), %rdx
usual:
	mov	SITE_ADDR(%rdx), %rcx
	inc	%rcx
	complete
#if KP_LEAN
	cmpq	$0, SITE_FIRST(%rdx)
	je	not_first
	direct_begin SITE_FIRST
run:
	run_child
	direct_end run
	jmp	same

	/* It wants to go on elsewhere, or the jump is gone. */
direct_takes_over:
	mov	%eax, %r14d
	kp_direct_forget rbp
	mov	%rbx, %rdi
	mov	%r13, %rsi
	mov	%r14d, %edx
	call	kp_core_on_direct_end
	jmp	continue

not_first:
#if KP_VECTORS
	cmpq	$0, SITE_KEPT(%rdx)
	je	general
	direct_begin SITE_KEPT
	movzbl	SITE_KEEP(%rdx), %r14d
	mov	%r14d, %eax
	call	kp_arch_save_image
	kp_direct_vectors rbp, rdx
	xor	%eax, %eax
run_keeping:
	/* Who comes to the site later may need more than is kept. */
	movzbl	CHILD_KEEP(%r12), %ecx
	cmp	%r14d, %ecx
	ja	pass_by
	run_child
pass_by:
	direct_end run_keeping
	call	kp_arch_load_image
	jmp	same
#else
	jmp	general
#endif

none_direct:
	kp_direct_end rbp
	jmp	general
not_direct:
	kp_direct_undo
#endif
general:
	begin_call cramped
	call	kp_core_on_detour
continue:
	end_call
	test	%eax, %eax
	jnz	elsewhere
same:
	lea	STACK(%rbx), %rdx
	cmp	%rdx, RSP(%rbx)
	jne	moved_stack
go_on:
	mov	EFLAGS(%rbx), %rax
	load_flags odd
load:
	KP_CFI(.cfi_remember_state)
	drop_words
	load_general
	loaded
	lea	TOP(%rsp), %rsp
	KP_CFI(.cfi_def_cfa_offset STACK - TOP)
	return_to
	KP_CFI(.cfi_restore_state)

odd:
	load_odd_flags slow
	jmp	load
slow:
	KP_CFI(.cfi_remember_state)
	drop_words
	mov	%rax, SS(%rsp)
	load_general
	loaded
	lea	SS(%rsp), %rsp
	KP_CFI(.cfi_def_cfa_offset STACK - SS)
	popfq
	KP_CFI(.cfi_def_cfa_offset STACK - TOP)
	return_to
	KP_CFI(.cfi_restore_state)

#if KP_VECTORS
cramped:
	mov	%rbx, %rdi
	call	KP_CRAMPED_DETOUR
	jmp	continue
#endif

	/* A handler has moved the stack: to the head's rest, but over there. */
moved_stack:
	mov	TOP(%rbx), %rdx
	mov	%rdx, RIP(%rbx)
	jmp	far_away

	/* As the struct says. */
elsewhere:
	lea	STACK(%rbx), %rdx
	cmp	%rdx, RSP(%rbx)
	jne	far_away
	mov	RIP(%rbx), %rdx
	mov	%rdx, TOP(%rbx)
	jmp	go_on

	/* Nothing on the new stack may be written, not even an address. */
far_away:
	KP_CFI(.cfi_remember_state)
	drop_words
	load_general
	loaded
	lea	RIP(%rsp), %rsp
	KP_CFI(.cfi_def_cfa_offset STACK - RIP)
	iretq
	KP_CFI(.cfi_restore_state)

/*
 * Not called: kp_arch_guard_detour lets an abandoned handler come here, frame
 * in rbx; what was below its words is garbage, but for the vector registers.
 */
	.globl kp_arch_detour_abort
	.hidden kp_arch_detour_abort
#if !KP_LEAN
	/* No frame lacks anything: nobody comes. */
	.globl kp_arch_lean_abort
	.hidden kp_arch_lean_abort
kp_arch_lean_abort:
#endif
kp_arch_detour_abort:
	KP_NO_TARGET
	lea	IMAGE(%rbx), %rsp
#if KP_VECTORS
	mov	IMAGE(%rbx), %rax
	test	%rax, %rax
	jz	1f
	lea	-VECTORS_LEN(%rax), %rsp
1:
	and	$-16, %rsp
	/* There was room before. */
	KP_FIND_ROOM(1f)
1:
#endif
	mov	%rbx, %rdi
	call	kp_core_on_detour_abort
	jmp	continue
	KP_CFI(.cfi_endproc)
	.size kp_arch_detour_entry, . - kp_arch_detour_entry

	KP_NONSTANDARD(kp_arch_detour_entry)

/*
 * From a slot's stepped form; the instruction is done.  Unwinders are shown the
 * next one, or what the core makes of ip.
 */
	.p2align 6
	.globl kp_arch_post_entry
	.hidden kp_arch_post_entry
	.type kp_arch_post_entry, @function
kp_arch_post_entry:
	KP_NO_TARGET
	KP_CFI(.cfi_startproc)
	KP_CFI(.cfi_signal_frame)
	KP_CFI(.cfi_def_cfa rsp, STACK - TOP)
	shown_by_slot
	lea	-(TOP - RSP)(%rsp), %rsp
	KP_CFI(.cfi_adjust_cfa_offset TOP - RSP)
	pushfq
	KP_CFI(.cfi_adjust_cfa_offset 8)
	push	$KP_CS
	KP_CFI(.cfi_adjust_cfa_offset 8)
	push	TOP - CS(%rsp)			/* RIP */
	KP_CFI(.cfi_adjust_cfa_offset 8)
	push_lean
	movq	$KP_SS, SS(%rsp)
	lea	STACK(%rsp), %rax
	mov	%rax, RSP(%rsp)
	mov	RIP(%rsp), %rax
	and	$-SLOT_LEN, %rax
	mov	SLOT_SITE(%rax), %rdx
	testl	$UNUSUAL | OF, EFLAGS(%rsp)
	jnz	odd_post
#if KP_LEAN
	cmpq	$0, SITE_LEAN_POST(%rdx)
	je	usual_post
	/* Back to the form's jump, if it has one, and no jump of ours may lie there. */
	mov	TOP(%rsp), %rcx
	cmpb	$JMP, (%rcx)
	jne	usual_post
	mov	SITE_DETOUR(%rdx), %rcx
	test	%rcx, %rcx
	jz	1f
	cmpq	$0, DETOUR_CHAIN(%rcx)
	jne	usual_post
1:
	lean_begin SITE_LEAN_POST, POSTING, usual_post
	mov	CHILD_KP(%rax), %rdi
	mov	CHILD_LEAN_POST(%rax), %rax
	xor	%edx, %edx
	KP_CALL_REG(rax)
	cmp	%eax, %eax
	kp_direct_end rbx
	KP_CFI(.cfi_remember_state)
	load_lean
	return_to
	KP_CFI(.cfi_restore_state)
	KP_CFI(.cfi_def_cfa rsp, STACK)
#endif
odd_post:
	mov	EFLAGS(%rsp), %eax
	usual_flags
usual_post:
	movzbl	SITE_LEN(%rdx), %ecx
	add	SITE_ADDR(%rdx), %rcx
	complete
	KP_CFI(.cfi_offset rip, RIP - STACK)
	begin_call cramped_post
	call	kp_core_on_post
posted:
	end_call
	jmp	elsewhere
#if KP_VECTORS
cramped_post:
	mov	%rbx, %rdi
	call	KP_CRAMPED_POST
	jmp	posted
#endif
	KP_CFI(.cfi_endproc)
	.size kp_arch_post_entry, . - kp_arch_post_entry

	KP_NONSTANDARD(kp_arch_post_entry)

	.globl kp_arch_detour_end
	.hidden kp_arch_detour_end
kp_arch_detour_end:
	KP_NO_TARGET
	int3

	.section .note.GNU-stack, "", @progbits
