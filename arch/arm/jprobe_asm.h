/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jprobe_asm.h - a struct kp_arch_jprobe, for assembly.
 *
 * Owns: its offsets, which jprobe.c asserts; it begins with a guard (guard_asm.h).
 */
#ifndef KP_ARM_JPROBE_ASM_H
#define KP_ARM_JPROBE_ASM_H

#define JPROBE_R	44
#define JPROBE_VECTORS	60
#define JPROBE_STACK	64
#define JPROBE_STACK_LEN 256

#endif
