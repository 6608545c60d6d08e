/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * guard_asm.h - a struct kp_arch_guard and a struct kp_arch_jprobe, for assembly.
 *
 * Owns: their offsets, which guard.c and jprobe.c assert, and the stores that fill a guard.
 */
#ifndef KP_I386_GUARD_ASM_H
#define KP_I386_GUARD_ASM_H

#define GUARD_SP	0
#define GUARD_IP	4
#define GUARD_BX	8
#define GUARD_BP	12
#define GUARD_SI	16
#define GUARD_DI	20
#define GUARD_ABORTED	24

#define JPROBE_AX	28
#define JPROBE_DX	32
#define JPROBE_CX	36
#define JPROBE_VECTORS	40
#define JPROBE_SKEW	44
#define JPROBE_STACK	48
#define JPROBE_STACK_LEN 256

#ifdef __ASSEMBLER__

/*
 * At a function's entry, or so many pushed bytes later, guard in a register that a call may
 * change.  Changes nothing but flags: arguments may be in registers.
 */
.macro	fill_guard guard, pushed=0
	mov	%ebx, GUARD_BX(\guard)
	mov	%ebp, GUARD_BP(\guard)
	mov	%esi, GUARD_SI(\guard)
	mov	%edi, GUARD_DI(\guard)
	lea	\pushed(%esp), %ebx
	mov	%ebx, GUARD_SP(\guard)
	mov	\pushed(%esp), %ebx
	mov	%ebx, GUARD_IP(\guard)
	mov	GUARD_BX(\guard), %ebx
	movl	$0, GUARD_ABORTED(\guard)
.endm

#endif

#endif
