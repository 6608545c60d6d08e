/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * no_jump.h - the constants of jump.h for a port without jumps.
 *
 * Owns: these constants.  The port's arch_probe.h includes it; jump.c has the rest.
 */
#ifndef KP_NO_JUMP_H
#define KP_NO_JUMP_H

#define KP_ARCH_JUMPS		0

#define KP_ARCH_JUMP_MIN	KP_ARCH_BP_LEN
#define KP_ARCH_JUMP_MAX	KP_ARCH_BP_LEN
#define KP_ARCH_HEAD_LEN	32
#define KP_ARCH_HUB_LEN		32
#define KP_ARCH_INNER_BP	0
#define KP_ARCH_INNER_LEN	1
#define KP_ARCH_LANDING_TRAP	(-1)

#endif
