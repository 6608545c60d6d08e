/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * signal.S - where signal handlers begin and return.
 *
 * Owns: where the kernel calls our handlers, and the instruction that tells where they return.
 */
#include "env_asm.h"
#include "frame_at.h"

#include <asm/unistd.h>

	.section .text.kp_trap, "ax", @progbits

/*
 * The kernel has no word for where a handler returns to: always to its own code, on which
 * a breakpoint of ours stands (numbers.c).  So ours make that call themselves, in exactly
 * these words, which unwinders and debuggers recognise.  $29 is then where it was, at the
 * frame, which begins with room for the called function's arguments.  Nothing here for
 * unwinders: they look at the words where they know of nothing else.
 */
	.macro	handler name
	.p2align 3
	.globl	\name
	.hidden	\name
	.type	\name, @function
\name:
	.endm

/*
 * The mode and the flags of floating point are the program's: handlers begin with the usual
 * ones, if it has used any.  The frame has them, but not under QEMU: so they are put back
 * without what would trap, its causes.  The two words that stand above the arguments' room
 * nobody uses.
 */
	.macro	return_from name
	lw	$8, KP_USED_MATH($29)
	beqz	$8, 1f
	nop
	cfc1	$9, $31
	sw	$9, 16($29)
	ctc1	$0, $31
1:	call	\name
	lw	$8, KP_USED_MATH($29)
	beqz	$8, 1f
	lw	$9, 16($29)
	lui	$8, 3
	ori	$8, $8, 0xf000
	nor	$8, $8, $0
	and	$9, $9, $8
	ctc1	$9, $31
1:	li	$2, __NR_rt_sigreturn
	syscall
	.endm

	.irp	name, fault, gather
	handler	kp_user_enter_\name
	return_from kp_user_on_\name
	.size	kp_user_enter_\name, . - kp_user_enter_\name
	.endr

/* And tell where the kernel's code is. */
	handler	kp_user_enter_trap
	move	$8, $31
	address	kp_user_kernel_return
	STORE	$8, 0($25)
	return_from kp_user_on_trap
	.size	kp_user_enter_trap, . - kp_user_enter_trap

/* A breakpoint, and behind it. */
function kp_user_ask_return
	break
	jr	$31
	nop
end kp_user_ask_return

	.section .note.GNU-stack, "", @progbits
