/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * vectors_entry.S - keeping the vector registers around handlers.
 *
 * Owns: where and how they are saved below a frame, for the entries of hits through
 * jumps, which find the image's address at IMAGE (detour_asm.h); and the same around
 * any call.  vectors.c says what there is to save.  Without KP_VECTORS nobody has to
 * keep any, and only the call is left.
 *
 * Invariant: what is not saved, no handler that was judged to need no more can
 * change, or it was not in use; then it is not in use afterwards.
 */
#include "env_asm.h"
#include "frame_asm.h"
#include "detour_asm.h"

/* enum kp_arch_keep; vectors.c asserts them. */
#define KEEP_FEW 1
#define KEEP_LOW 2
#define KEEP_ALL 3
#define KIND_FXSAVE 0
#define KIND_XMM 1
#define KIND_XSAVE 2
#define KIND_MOVES 3
#define KIND_FEW 4		/* xmm0 to xmm3 */
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

	.globl kp_arch_vectors_begin
	.hidden kp_arch_vectors_begin
kp_arch_vectors_begin:
	KP_NO_TARGET

#if KP_VECTORS
/* Of an image at rsp: nothing is in it, and the form is the standard one. */
.macro	clear_header
	xor	%eax, %eax
	.irp	n, 0,1,2,3,4,5,6,7
	mov	%rax, XSAVE_HEADER + 8 * \n(%rsp)
	.endr
.endm

/* The low halves of these, and MXCSR, where fxsave has them. */
.macro	save_low kind, regs:vararg
	sub	$FXSAVE_LEN + 16, %rsp
	and	$-64, %rsp
	.irp	n, \regs
	movaps	%xmm\n, IMAGE_XMM + 16 * \n(%rsp)
	.endr
	stmxcsr	IMAGE_MXCSR(%rsp)
	mov	$\kind, %eax
	xor	%ecx, %ecx
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
	.globl kp_arch_save_image
	.hidden kp_arch_save_image
	.type kp_arch_save_image, @function
kp_arch_save_image:
	KP_CFI(.cfi_startproc)
	pop	%r8
	/* Who called has its own frame by rbx or rbp. */
	KP_CFI(.cfi_def_cfa rbx, 0)
	KP_CFI(.cfi_register rip, r8)
	mov	%eax, %r9d
	cmp	$KEEP_FEW, %eax
	je	save_few
	cmp	$KEEP_LOW, %eax
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
save_few:
	save_low KIND_FEW, 0,1,2,3
	jmp	is_saved
save_xmm:
	save_low KIND_XMM, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
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
	.globl kp_arch_load_image
	.hidden kp_arch_load_image
	.type kp_arch_load_image, @function
kp_arch_load_image:
	KP_CFI(.cfi_startproc)
	mov	IMAGE(%rbx), %rcx
	mov	-8(%rcx), %edx
	cmp	$KIND_FEW, %edx
	je	load_few
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
	.irp	n, 4,5,6,7,8,9,10,11,12,13,14,15
	movaps	IMAGE_XMM + 16 * \n(%rcx), %xmm\n
	.endr
load_few:
	.irp	n, 0,1,2,3
	movaps	IMAGE_XMM + 16 * \n(%rcx), %xmm\n
	.endr
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

/*
 * void kp_arch_keeping(keep %edi, fn %rsi, arg %rdx): fn(arg).  What the two
 * above see of a frame is IMAGE(%rbx); they leave rsi and rdi alone.
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
	call	kp_arch_save_image
#else
	mov	%rdx, %rdi
#endif
	KP_CALL_REG(rsi)
#if KP_VECTORS
	call	kp_arch_load_image
#endif
	mov	-8(%rbp), %rbx
	KP_CFI(.cfi_restore rbx)
	leave
	KP_CFI(.cfi_def_cfa rsp, 8)
	KP_RET
	KP_CFI(.cfi_endproc)
	.size kp_arch_keeping, . - kp_arch_keeping

	.globl kp_arch_vectors_end
	.hidden kp_arch_vectors_end
kp_arch_vectors_end:
	KP_NO_TARGET
	int3

	.section .note.GNU-stack, "", @progbits
