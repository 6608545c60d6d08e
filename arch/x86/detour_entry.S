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
 * that such a handler does not find or change; pre_handlers that keep no vector
 * registers one after the other, with the whole frame.  With KP_LEAN the host
 * supplies macros for that; CTX is a register that they may use for theirs from
 * begin to end, and rax and rcx are scratch:
 *
 *   kp_direct_begin CTX, UNDO   a reader, at the site in rdx, with its frame in rsi;
 *                               or to UNDO: busy, or nothing for this way
 *   kp_direct_undo              there: as if it had not begun
 *   kp_direct_site CTX, REG     at which site it is
 *   kp_direct_end CTX           leave
 *   kp_direct_note CTX          handlers will run that may leave something behind
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

/*
 * The slot's site: its address stands at the slot's end.  A stepped form lies in
 * the last 64 bytes of its slot, whose length is 128 or, of a short one, 64.
 */
#define SLOT_LEN 64
#define SLOT_SITE 56
/* struct kp_site, struct kp_child; core/detour.c asserts the offsets. */
#define SITE_ADDR 0
#define SITE_KEEP 8
#define SITE_LEAN 16
#define SITE_LEAN_POST 24
#define SITE_FIRST 32
#define SITE_STEP 40
#define SITE_BEHIND 48
#define SITE_DETOUR 56
#define DETOUR_CHAIN 0
#define DETOUR_BODY 8
#define CHILD_KP KP_ARCH_CHILD_KP
#define CHILD_LEAN 8
#define CHILD_LEAN_POST 16
#define CHILD_PRE 24
#define CHILD_SITE 32
#define CHILD_RUN 40
#define CHILD_CALLS 48
#define LEAN_CALLS 2
#define JMP 0xe9
#define POSTING 1		/* in orig_ax: it is a lean post_handler */
#define KEEP_XMM 1		/* enum kp_arch_keep */
#define KEEP_ALL 2
/* Below the vector registers' image; see save_image. */
#define VECTORS_LEN 32
#define KIND_FXSAVE 0
#define KIND_XMM 1
#define KIND_XSAVE 2
#define KIND_MOVES 3
#define FXSAVE_LEN 512
#define IMAGE_FCW 0			/* control word, status word */
#define IMAGE_TAGS 4			/* a bit for each register in use */
#define X87_EMPTY 0x0000037f
#define IMAGE_MXCSR 24
#define IMAGE_XMM 160
#define XSAVE_HEADER 512
#define IMAGE_SCRATCH 28		/* what fxsave says of MXCSR */
#define IMAGE_MOVES 576		/* 32 registers, then the masks */
#define MOVES_LEN (IMAGE_MOVES + 32 * 64 + 64)
#define X87_STATE 1
#define AVX_STATE 4
#define MASK_STATE 0x20
#define ZMM_STATE 0x40		/* upper halves of the first sixteen */
#define MORE_STATE 0x80		/* the other sixteen */
#define TILE_STATES 0x60000		/* their shape, and what is in them */
#define MXCSR_USUAL 0x1f80
#define MXCSR_STATUS 0x3f

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
	mov	%rcx, RIP(%rsp)
	push	SITE_ADDR(%rdx)
	KP_CFI(.cfi_adjust_cfa_offset 8)
	KP_CFI(.cfi_offset rip, SHOWN - STACK)
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
	call	save_image
2:
#endif
	mov	%rbx, %rdi
.endm

.macro	end_call
#if KP_VECTORS
	cmpq	$0, IMAGE(%rbx)
	je	2f
	call	load_image
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
	KP_RET
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
	mov	SITE_ADDR(%rdx), %rcx
	lea	1(%rcx), %rcx
	cmovnz	SITE_BEHIND(%rdx), %rcx
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
	KP_CFI(.cfi_offset rip, SHOWN - STACK)
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
	KP_CFI(.cfi_offset rip, RIP - STACK)
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
	KP_CFI(.cfi_offset rip, RIP - STACK)
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
#if KP_BALANCED
	mov	ORIG_AX + LEAN_WORDS(%rsp), %rcx
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

	/*
	 * With a lean post_handler: behind a pre_handler, if there is one, the
	 * instruction's stepped form is next, not the head's rest.
	 */
not_lean:
	KP_CFI(.cfi_remember_state)
	KP_CFI(.cfi_def_cfa rsp, STACK)
	KP_CFI(.cfi_offset rip, RIP - STACK)
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
	mov	SITE_DETOUR(%rdx), %rcx
	cmp	%rax, DETOUR_BODY(%rcx)
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
	je	general
	mov	%rbx, %rsi
	kp_direct_begin rbp, not_direct
	/* As a reader, which keeps it. */
	mov	SITE_FIRST(%rdx), %r12
	test	%r12, %r12
	jz	none_direct
	kp_direct_note rbp
	mov	%rdx, %r13
run:
	kp_direct_current rbp, r12
	mov	CHILD_KP(%r12), %rdi
	mov	CHILD_PRE(%r12), %rax
	mov	%rbx, %rsi
	KP_CALL_REG(rax)
	test	%eax, %eax
	jnz	direct_takes_over
	mov	CHILD_RUN(%r12), %r12
	test	%r12, %r12
	jnz	run
	cmpl	$JUMP_IN, SITE_JUMP(%r13)
	jne	direct_takes_over
	kp_direct_forget rbp
	kp_direct_end rbp
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
 * From a slot's stepped form; the instruction is done.  Unwinders are shown
 * what the core makes of ip.
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
	KP_CFI(.cfi_offset rip, TOP - STACK)
	lea	-(TOP - RSP)(%rsp), %rsp
	KP_CFI(.cfi_adjust_cfa_offset TOP - RSP)
	pushfq
	KP_CFI(.cfi_adjust_cfa_offset 8)
	push	$KP_CS
	KP_CFI(.cfi_adjust_cfa_offset 8)
	push	TOP - CS(%rsp)			/* RIP */
	KP_CFI(.cfi_adjust_cfa_offset 8)
	KP_CFI(.cfi_offset rip, RIP - STACK)
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
	jmp	lean_end
	KP_CFI(.cfi_def_cfa rsp, STACK)
#endif
odd_post:
	mov	EFLAGS(%rsp), %eax
	usual_flags
usual_post:
	mov	RIP(%rsp), %rcx
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

#if KP_VECTORS
/* Of an image at rsp: nothing is in it, and the form is the standard one. */
.macro	clear_header
	xor	%eax, %eax
	.irp	n, 0,1,2,3,4,5,6,7
	mov	%rax, XSAVE_HEADER + 8 * \n(%rsp)
	.endr
.endm

/*
 * Called with the frame at rbx and the site's wish in eax: all that follows
 * happens below the caller's stack pointer.  Leaves there
 *
 *   VECTORS_LEN  the image, on a boundary of 64
 *   24           how it was saved: KIND_…
 *   0            struct kp_arch_vectors; its address in rdx
 *
 * and the units as a function expects them, if it may use them.
 */
save_image:
	KP_CFI(.cfi_startproc)
	pop	%r8
	mov	%eax, %r9d
	cmp	$KEEP_XMM, %eax
	je	save_xmm
	cmp	$KEEP_ALL, %eax
	jne	save_whole
	cmpl	$0, kp_arch_xsave_moves(%rip)
	jne	save_moves
	/* Tiles are large: only if there is something in them. */
save_whole:
	mov	kp_arch_xsave_tiles(%rip), %edx
	test	%edx, %edx
	jnz	save_tiles
save_usual:
	mov	kp_arch_xsave_mask(%rip), %ecx
	mov	kp_arch_xsave_len(%rip), %eax
	test	%eax, %eax
	jz	save_fx
	/* Components in ecx, their image's length in eax. */
save_components:
	sub	%rax, %rsp
	and	$-64, %rsp
	clear_header
	mov	%ecx, %eax
	xor	%edx, %edx
	cmpl	$0, kp_arch_xsave_compact(%rip)
	je	1f
	xsavec64 (%rsp)
	jmp	2f
1:	xsave64	(%rsp)
2:	mov	$KIND_XSAVE, %eax
	test	$AVX_STATE, %cl
	jz	1f
	vzeroupper
1:	testb	$X87_STATE, XSAVE_HEADER(%rsp)
	jz	is_saved
	/*
	 * After a signal the processor takes the unit for used, although nothing
	 * is in it.  Then xrstor resets it, which is faster, now and next time.
	 */
	cmpl	$X87_EMPTY, IMAGE_FCW(%rsp)
	jne	1f
	cmpb	$0, IMAGE_TAGS(%rsp)
	jne	1f
	andb	$~X87_STATE, XSAVE_HEADER(%rsp)
	jmp	is_saved
1:	fninit
	jmp	is_saved
save_tiles:
	mov	$1, %ecx
	xgetbv
	test	$TILE_STATES, %eax
	jz	save_usual
	mov	kp_arch_xsave_mask(%rip), %ecx
	or	$TILE_STATES, %ecx
	mov	kp_arch_xsave_tiles(%rip), %eax
	jmp	save_components
save_fx:
	sub	$FXSAVE_LEN + 16, %rsp
	and	$-64, %rsp
	fxsave64 (%rsp)
	mov	$KIND_FXSAVE, %eax
	xor	%ecx, %ecx
	fninit
	jmp	is_saved
save_xmm:
	sub	$FXSAVE_LEN + 16, %rsp
	and	$-64, %rsp
	movaps	%xmm0, IMAGE_XMM + 0(%rsp)
	movaps	%xmm1, IMAGE_XMM + 16(%rsp)
	movaps	%xmm2, IMAGE_XMM + 32(%rsp)
	movaps	%xmm3, IMAGE_XMM + 48(%rsp)
	movaps	%xmm4, IMAGE_XMM + 64(%rsp)
	movaps	%xmm5, IMAGE_XMM + 80(%rsp)
	movaps	%xmm6, IMAGE_XMM + 96(%rsp)
	movaps	%xmm7, IMAGE_XMM + 112(%rsp)
	movaps	%xmm8, IMAGE_XMM + 128(%rsp)
	movaps	%xmm9, IMAGE_XMM + 144(%rsp)
	movaps	%xmm10, IMAGE_XMM + 160(%rsp)
	movaps	%xmm11, IMAGE_XMM + 176(%rsp)
	movaps	%xmm12, IMAGE_XMM + 192(%rsp)
	movaps	%xmm13, IMAGE_XMM + 208(%rsp)
	movaps	%xmm14, IMAGE_XMM + 224(%rsp)
	movaps	%xmm15, IMAGE_XMM + 240(%rsp)
	stmxcsr	IMAGE_MXCSR(%rsp)
	mov	$KIND_XMM, %eax
	xor	%ecx, %ecx
	jmp	is_saved
	/*
	 * One by one, and only what the processor says is in use: a fraction of
	 * what xsavec takes.  The states in use stand for the components.
	 */
save_moves:
	mov	$1, %ecx
	xgetbv
	test	$TILE_STATES, %eax
	jnz	save_whole
	mov	%eax, %ecx
	sub	$MOVES_LEN, %rsp
	and	$-64, %rsp
	stmxcsr	IMAGE_MXCSR(%rsp)
	test	$ZMM_STATE, %cl
	jnz	2f
	test	$AVX_STATE, %cl
	jnz	1f
	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
	movaps	%xmm\n, IMAGE_MOVES + 64 * \n(%rsp)
	.endr
	jmp	3f
1:	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
	vmovaps	%ymm\n, IMAGE_MOVES + 64 * \n(%rsp)
	.endr
	jmp	3f
2:	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
	vmovaps	%zmm\n, IMAGE_MOVES + 64 * \n(%rsp)
	.endr
3:	test	$MORE_STATE, %cl
	jz	1f
	.irp	n, 16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	vmovaps	%zmm\n, IMAGE_MOVES + 64 * \n(%rsp)
	.endr
1:	test	$MASK_STATE, %cl
	jz	1f
	.irp	n, 0,1,2,3,4,5,6,7
	kmovq	%k\n, IMAGE_MOVES + 32 * 64 + 8 * \n(%rsp)
	.endr
1:	vzeroupper
	test	$X87_STATE, %cl
	jz	2f
	clear_header
	mov	$X87_STATE, %eax
	xor	%edx, %edx
	xsave64	(%rsp)
	cmpl	$X87_EMPTY, IMAGE_FCW(%rsp)
	jne	1f
	cmpb	$0, IMAGE_TAGS(%rsp)
	jne	1f
	/* Taken for used, with nothing in it (above): reset it for good. */
	andb	$~X87_STATE, XSAVE_HEADER(%rsp)
	xrstor64 (%rsp)
	and	$~X87_STATE, %ecx
	jmp	2f
1:	fninit
2:	mov	$KIND_MOVES, %eax
is_saved:
	/* The program may have unmasked exceptions, or round its own way. */
	mov	IMAGE_MXCSR(%rsp), %edx
	and	$~MXCSR_STATUS, %edx
	cmp	$MXCSR_USUAL, %edx
	je	describe
	ldmxcsr	mxcsr_usual(%rip)
describe:
	mov	%rsp, IMAGE(%rbx)
	mov	%rsp, %rdx
	push	%rax
	push	%r9
	push	%rcx
	push	%rdx
	mov	%rsp, %rdx
	push	%r8
	ret
	KP_CFI(.cfi_endproc)

	.p2align 2
mxcsr_usual:
	.long	MXCSR_USUAL

/* The image of the frame at rbx; keeps rax. */
load_image:
	KP_CFI(.cfi_startproc)
	mov	IMAGE(%rbx), %rcx
	mov	-8(%rcx), %edx
	cmp	$KIND_XMM, %edx
	je	load_xmm
	cmp	$KIND_FXSAVE, %edx
	je	load_fx
	cmp	$KIND_MOVES, %edx
	je	load_moves
	mov	%rax, %r8
	mov	-24(%rcx), %eax
	/* What was not saved was not in use: it becomes what that means. */
	mov	kp_arch_xsave_tiles(%rip), %edx
	test	%edx, %edx
	jz	1f
	or	$TILE_STATES, %eax
1:	xor	%edx, %edx
	xrstor64 (%rcx)
	mov	%r8, %rax
	ret
load_fx:
	fxrstor64 (%rcx)
	ret
load_xmm:
	movaps	IMAGE_XMM + 0(%rcx), %xmm0
	movaps	IMAGE_XMM + 16(%rcx), %xmm1
	movaps	IMAGE_XMM + 32(%rcx), %xmm2
	movaps	IMAGE_XMM + 48(%rcx), %xmm3
	movaps	IMAGE_XMM + 64(%rcx), %xmm4
	movaps	IMAGE_XMM + 80(%rcx), %xmm5
	movaps	IMAGE_XMM + 96(%rcx), %xmm6
	movaps	IMAGE_XMM + 112(%rcx), %xmm7
	movaps	IMAGE_XMM + 128(%rcx), %xmm8
	movaps	IMAGE_XMM + 144(%rcx), %xmm9
	movaps	IMAGE_XMM + 160(%rcx), %xmm10
	movaps	IMAGE_XMM + 176(%rcx), %xmm11
	movaps	IMAGE_XMM + 192(%rcx), %xmm12
	movaps	IMAGE_XMM + 208(%rcx), %xmm13
	movaps	IMAGE_XMM + 224(%rcx), %xmm14
	movaps	IMAGE_XMM + 240(%rcx), %xmm15
	stmxcsr	IMAGE_SCRATCH(%rcx)
	mov	IMAGE_MXCSR(%rcx), %edx
	cmp	IMAGE_SCRATCH(%rcx), %edx
	je	1f
	ldmxcsr	IMAGE_MXCSR(%rcx)
1:	ret
	/* States that handlers have begun to use become what they were: zero. */
load_moves:
	mov	%rax, %r8
	mov	%rcx, %r10
	mov	-24(%rcx), %r9d
	mov	$1, %ecx
	xgetbv
	mov	%eax, %r11d
	test	$TILE_STATES, %eax
	jz	1f
	tilerelease
1:	vzeroupper
	test	$ZMM_STATE, %r9b
	jnz	2f
	test	$AVX_STATE, %r9b
	jnz	1f
	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
	movaps	IMAGE_MOVES + 64 * \n(%r10), %xmm\n
	.endr
	jmp	3f
1:	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
	vmovaps	IMAGE_MOVES + 64 * \n(%r10), %ymm\n
	.endr
	jmp	3f
2:	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
	vmovaps	IMAGE_MOVES + 64 * \n(%r10), %zmm\n
	.endr
3:	test	$MORE_STATE, %r9b
	jnz	1f
	test	$MORE_STATE, %r11b
	jz	2f
	.irp	n, 16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	vpxord	%zmm\n, %zmm\n, %zmm\n
	.endr
	jmp	2f
1:	.irp	n, 16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	vmovaps	IMAGE_MOVES + 64 * \n(%r10), %zmm\n
	.endr
2:	test	$MASK_STATE, %r9b
	jnz	1f
	test	$MASK_STATE, %r11b
	jz	2f
	.irp	n, 0,1,2,3,4,5,6,7
	kxorq	%k\n, %k\n, %k\n
	.endr
	jmp	2f
1:	.irp	n, 0,1,2,3,4,5,6,7
	kmovq	IMAGE_MOVES + 32 * 64 + 8 * \n(%r10), %k\n
	.endr
2:	test	$X87_STATE, %r9b
	jnz	1f
	test	$X87_STATE, %r11b
	jz	2f
	/* An empty header stands for a unit that is not in use. */
	xor	%eax, %eax
	.irp	n, 0,1,2,3,4,5,6,7
	mov	%rax, XSAVE_HEADER + 8 * \n(%r10)
	.endr
1:	mov	$X87_STATE, %eax
	xor	%edx, %edx
	xrstor64 (%r10)
2:	stmxcsr	IMAGE_SCRATCH(%r10)
	mov	IMAGE_MXCSR(%r10), %eax
	cmp	IMAGE_SCRATCH(%r10), %eax
	je	1f
	ldmxcsr	IMAGE_MXCSR(%r10)
1:	mov	%r8, %rax
	ret
	KP_CFI(.cfi_endproc)
#endif

	.globl kp_arch_detour_end
	.hidden kp_arch_detour_end
kp_arch_detour_end:
	KP_NO_TARGET

/*
 * void kp_arch_keeping(keep %edi, fn %rsi, arg %rdx): fn(arg).  What save_image
 * and load_image see of a frame is IMAGE(%rbx); they leave rsi and rdi alone.
 */
	.p2align 4
	.globl kp_arch_keeping
	.hidden kp_arch_keeping
	.type kp_arch_keeping, @function
kp_arch_keeping:
	KP_CFI(.cfi_startproc)
	push	%rbp
	KP_CFI(.cfi_def_cfa_offset 16)
	KP_CFI(.cfi_offset rbp, -16)
	mov	%rsp, %rbp
	KP_CFI(.cfi_def_cfa_register rbp)
	push	%rbx
	KP_CFI(.cfi_offset rbx, -24)
#if KP_VECTORS
	push	$0
	lea	-IMAGE(%rsp), %rbx
	and	$-16, %rsp
	mov	%edi, %eax
	mov	%rdx, %rdi
	call	save_image
#else
	mov	%rdx, %rdi
#endif
	KP_CALL_REG(rsi)
#if KP_VECTORS
	call	load_image
#endif
	mov	-8(%rbp), %rbx
	KP_CFI(.cfi_restore rbx)
	leave
	KP_CFI(.cfi_def_cfa rsp, 8)
	KP_RET
	KP_CFI(.cfi_endproc)
	.size kp_arch_keeping, . - kp_arch_keeping

	.section .note.GNU-stack, "", @progbits
