/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * detour_asm.h - the frame of a hit through a jump, for assembly.
 *
 * Owns: where what is, seen from the struct pt_regs; and the pushes that begin it.
 *
 *      KP_RED_ZONE, then the probed code's stack
 *   TOP   where to go on: at first the address in the head or slot
 *   0     struct pt_regs; the head has pushed ss, sp, flags and cs, and its call
 *         what stands in the place of ip.  While a lean handler runs orig_ax is
 *         its child, and what it neither finds nor changes is not there
 *   SHOWN the probe's address, for unwinders
 *   IMAGE where vector registers are, or 0; without vectors: flags at entry
 *         the vector registers' image
 */
#ifndef KP_X86_DETOUR_ASM_H
#define KP_X86_DETOUR_ASM_H

#include "return_asm.h"

#define TOP	168
#define STACK	(TOP + 8 + KP_RED_ZONE)
#define SHOWN	-8		/* detour_frame.c knows it, too */
#define IMAGE	-16
#define FLAGS	IMAGE
/* Of ours below the vector registers' image; see kp_arch_save_image. */
#define VECTORS_LEN 32

/* detour.c's head: from the call's return address to the tag. */
#if KP_RED_ZONE
#define TO_TAG	5
#else
#define TO_TAG	11
#endif
#define CALL_LEN 5
/*
 * The slot's site: its address stands at the slot's end.  A stepped form lies in
 * the last 64 bytes of its slot, whose length is 128 or, of a short one, 64.
 */
#define SLOT_LEN 64
#define SLOT_SITE 56
#define SITE_JUMP KP_ARCH_SITE_JUMP
#define JUMP_IN 1		/* enum kp_jump_state */

/*
 * What unwinders are shown before SHOWN is there, and after it: the probe's address,
 * which the site has, to which the head's tag or the slot's end leads from where
 * their call returns to.  So it needs no word but that one: RIP for a head, which at
 * the end, rsp being where TOP was, is 40 bytes below (a signal leaves 128 alone), and
 * TOP for a slot.
 *
 *   val_expression ra: const2s RIP - STACK; plus; deref; plus_uconst TO_TAG;
 *                      deref; deref
 *   val_expression ra: const2s TOP - STACK; plus; deref; const1s -SLOT_LEN; and;
 *                      plus_uconst SLOT_SITE; deref; deref
 */
#define LOW(at)		(((at) - STACK) & 0xff)
#define HIGH(at)	(((at) - STACK) >> 8 & 0xff)
.macro	shown_by_head
	KP_CFI(.cfi_escape 0x16, 16, 9, 0x0b, LOW(RIP), HIGH(RIP), 0x22, 0x06, 0x23, TO_TAG, 0x06, 0x06)
.endm
.macro	shown_by_slot
	KP_CFI(.cfi_escape 0x16, 16, 12, 0x0b, LOW(TOP), HIGH(TOP), 0x22, 0x06, 0x09, -SLOT_LEN & 0xff, 0x1a, 0x23, SLOT_SITE, 0x06, 0x06)
.endm

/* Where register n of DWARF is saved: at an offset in the frame. */
.macro	saved	n, at
	KP_CFI(.cfi_offset \n, \at - STACK)
.endm

.macro	push_saved reg, n, at
	push	%\reg
	KP_CFI(.cfi_adjust_cfa_offset 8)
	saved	\n, \at
.endm

/*
 * What a lean handler may change, from behind cs on, which stands: some, which
 * call_entry.S needs, and the rest.
 */
.macro	push_few
	lea	-(RIP - ORIG_AX)(%rsp), %rsp
	KP_CFI(.cfi_adjust_cfa_offset RIP - ORIG_AX)
	push_saved rdi, 5, RDI
	push_saved rsi, 4, RSI
	push_saved rdx, 1, RDX
	push_saved rcx, 2, RCX
	push_saved rax, 0, RAX
.endm
.macro	push_lean
	push_few
	push_more
.endm
.macro	push_more
	push_saved r8, 8, R8
	push_saved r9, 9, R9
	push_saved r10, 10, R10
	push_saved r11, 11, R11
	push_saved rbx, 3, RBX
	lea	-RBX(%rsp), %rsp
	KP_CFI(.cfi_adjust_cfa_offset RBX)
.endm

#endif
