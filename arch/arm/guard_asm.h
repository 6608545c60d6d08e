/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * guard_asm.h - a struct kp_arch_guard, for assembly.
 *
 * Owns: its offsets, which guard.c asserts, and the stores that fill one.
 */
#ifndef KP_ARM_GUARD_ASM_H
#define KP_ARM_GUARD_ASM_H

#define GUARD_SP	0
#define GUARD_IP	4
#define GUARD_R4	8
#define GUARD_ABORTED	40
#define GUARD_LEN	44

#ifdef __ASSEMBLER__

/* At a function's entry; changes ip. */
.macro	fill_guard guard
	str	sp, [\guard, #GUARD_SP]
	str	lr, [\guard, #GUARD_IP]
	add	ip, \guard, #GUARD_R4
	stm	ip, {r4-r11}
	mov	ip, #0
	str	ip, [\guard, #GUARD_ABORTED]
.endm

#endif

#endif
