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

	.section .text.kp_trap, "ax", @progbits

/* void kp_arch_jprobe_call(jprobe, fn) */
function kp_arch_jprobe_call
	fill_guard $4
	/* At once: a kernel's unwinder looks for one such instruction. */
	ADDI	$29, $29, -(JPROBE_STACK_LEN + 16)
	KP_CFI(.cfi_def_cfa_offset JPROBE_STACK_LEN + 16)
	STORE	$16, JPROBE_STACK_LEN($29)
	KP_CFI(.cfi_offset 16, -16)
	STORE	$31, (JPROBE_STACK_LEN + LONG)($29)
	KP_CFI(.cfi_offset 31, LONG - 16)
	ADDI	$16, $29, JPROBE_STACK_LEN
	KP_CFI(.cfi_def_cfa 16, 16)
	move	$24, $4
	move	$25, $5
	ADDI	$2, $24, JPROBE_STACK
	move	$3, $29
1:	LOAD	$1, 0($2)
	STORE	$1, 0($3)
	ADDI	$3, $3, LONG
	bne	$3, $16, 1b
	ADDI	$2, $2, LONG
#if KP_VECTORS
	LOAD	$2, JPROBE_VECTORS($24)
	beqz	$2, 2f
	nop
#ifdef __mips64
	.irp	n, 12, 13, 14, 15, 16, 17, 18, 19
	ldc1	$f\n, 8 * \n($2)
	.endr
#else
	ldc1	$f12, 8 * 12($2)
	ldc1	$f14, 8 * 14($2)
#endif
2:
#endif
	.irp	n, 4, 5, 6, 7
	LOAD	$\n, JPROBE_A + LONG * (\n - 4)($24)
	.endr
#ifdef __mips64
	.irp	n, 8, 9, 10, 11
	LOAD	$\n, JPROBE_A + LONG * (\n - 4)($24)
	.endr
#endif
	jalr	$25
	nop
	move	$29, $16
	LOAD	$16, 0($29)
	LOAD	$31, LONG($29)
	ADDI	$29, $29, 16
	KP_CFI(.cfi_def_cfa 29, 0)
	KP_CFI(.cfi_restore 16)
	KP_CFI(.cfi_restore 31)
	jr	$31
	nop
end kp_arch_jprobe_call

/* void kp_arch_jprobe_leave(jprobe): return from the call above. */
function kp_arch_jprobe_leave
	b	kp_arch_guard_landing
	nop
end kp_arch_jprobe_leave

	.section .note.GNU-stack, "", @progbits
