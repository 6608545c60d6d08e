/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * return_asm.h - a return probe's structs, for assembly.
 *
 * Owns: where their fields are; core/return.c asserts each.  Included by C, too.
 */
#ifndef KP_X86_RETURN_ASM_H
#define KP_X86_RETURN_ASM_H

#define KP_ARCH_CTX_RETURNING	24

#define KP_ARCH_NODE_REAL	0
#define KP_ARCH_NODE_POOL	8
#define KP_ARCH_NODE_ENTRY	16
#define KP_ARCH_NODE_STATE	24
#define KP_ARCH_NODE_PARKED	28
#define KP_ARCH_NODE_CALLED	29
#define KP_ARCH_NODE_FRAME	32
#define KP_ARCH_NODE_BELOW	40
#define KP_ARCH_NODE_SITE	48
#define KP_ARCH_NODE_STAMP	72
#define KP_ARCH_NODE_BODY	104
#define KP_ARCH_NODE_RI		112
#define KP_ARCH_NODE_RET_ADDR	120

#define KP_ARCH_POOL_RP		0
#define KP_ARCH_POOL_LEAN	16
#define KP_ARCH_POOL_LEAN_CHILD	24
#define KP_ARCH_POOL_PARKED	40

#define KP_ARCH_CHILD_KP	0

#define KP_ARCH_RP_HANDLER	144
#define KP_ARCH_RP_ENTRY_HANDLER 152

#define KP_ARCH_SITE_JUMP	12
#define KP_ARCH_SITE_CALLS	56

/* KP_FRAME_RETURN | KP_FRAME_LEAN */
#define KP_ARCH_FRAME_LEAN	5

#endif
