/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jprobe_call.S - calling a jprobe's handler, and leaving it.
 *
 * Owns: the call with copied registers and stack arguments, and the way out.
 * Its struct starts with a guard: the call is left like an abandoned guarded
 * call, through kp_arch_guard_landing of entry.S.
 *
 * The handler's stack, as it finds it: a copy of KP_ARCH_JPROBE_STACK bytes.  Nothing
 * in it is aligned to more than 16, as the original's stack pointer is.
 */
#include "env_asm.h"
#include "guard_asm.h"
#include "jprobe_asm.h"

	.section .text.kp_trap, "ax", %progbits

/* void kp_arch_jprobe_call(jprobe a0, fn a1) */
	.p2align 2
	.globl kp_arch_jprobe_call
	.hidden kp_arch_jprobe_call
	.type kp_arch_jprobe_call, %function
kp_arch_jprobe_call:
	KP_CFI(.cfi_startproc)
	fill_guard a0
	addi	sp, sp, -16
	KP_CFI(.cfi_def_cfa_offset 16)
	sd	s0, 0(sp)
	KP_CFI(.cfi_offset s0, -16)
	sd	ra, 8(sp)
	KP_CFI(.cfi_offset ra, -8)
	/* A frame as compilers make it, which a kernel's unwinder goes by. */
	addi	s0, sp, 16
	KP_CFI(.cfi_def_cfa s0, 0)
	mv	t5, sp
	addi	sp, sp, -JPROBE_STACK_LEN
	mv	t0, a0
	mv	t1, a1
	addi	t2, t0, JPROBE_STACK
	mv	t3, sp
1:	ld	t4, 0(t2)
	sd	t4, 0(t3)
	addi	t2, t2, 8
	addi	t3, t3, 8
	bne	t3, t5, 1b
#if KP_VECTORS
	ld	t2, JPROBE_VECTORS(t0)
	beqz	t2, 2f
	.irp	n, 10, 11, 12, 13, 14, 15, 16, 17
	fld	f\n, 8 * \n(t2)
	.endr
2:
#endif
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	ld	a\n, JPROBE_A + 8 * \n(t0)
	.endr
	jalr	t1
	addi	sp, s0, -16
	ld	s0, 0(sp)
	ld	ra, 8(sp)
	addi	sp, sp, 16
	KP_CFI(.cfi_def_cfa sp, 0)
	KP_CFI(.cfi_restore s0)
	KP_CFI(.cfi_restore ra)
	ret
	KP_CFI(.cfi_endproc)
	.size kp_arch_jprobe_call, . - kp_arch_jprobe_call

/* void kp_arch_jprobe_leave(jprobe a0): return from the call above. */
	.p2align 2
	.globl kp_arch_jprobe_leave
	.hidden kp_arch_jprobe_leave
	.type kp_arch_jprobe_leave, %function
kp_arch_jprobe_leave:
	KP_CFI(.cfi_startproc)
	tail	kp_arch_guard_landing
	KP_CFI(.cfi_endproc)
	.size kp_arch_jprobe_leave, . - kp_arch_jprobe_leave

	.section .note.GNU-stack, "", %progbits
