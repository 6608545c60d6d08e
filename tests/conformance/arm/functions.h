/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * functions.h - how the functions that are probed begin and end, in either instruction set.
 *
 * Owns: FUNC and END; and W, by which all instructions but returns have 4 bytes in both.
 */
#ifndef KP_CONFORMANCE_FUNCTIONS_H
#define KP_CONFORMANCE_FUNCTIONS_H

#define FUNC(name)							\
	.p2align 4;							\
	.globl name;							\
	.type name, %function;						\
name:
#define END(name) .size name, . - name

	.syntax unified
	.arch	armv7-a
	.fpu	vfpv3-d16
	.text
#undef W				/* a kernel has one, too */
#ifdef __thumb__
	.thumb
#define W(op) op.w
#else
	.arm
#define W(op) op
#endif

#endif
