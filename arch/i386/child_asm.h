/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * child_asm.h - how an entry calls a child's handler by itself.
 *
 * Owns: where struct kp_child has what it needs; layout.h asserts it.
 */
#ifndef KP_I386_CHILD_ASM_H
#define KP_I386_CHILD_ASM_H

#define CHILD_KP	0
#define CHILD_PRE	12
#define CHILD_RUN	20
#define CHILD_QUIET	40

#endif
