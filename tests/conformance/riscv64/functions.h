/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * functions.h - how the functions that are probed begin and end.
 *
 * Owns: FUNC and END.  Instructions are as long as they say: c.NAME of 2 bytes, all
 * others of 4.
 */
#ifndef KP_CONFORMANCE_FUNCTIONS_H
#define KP_CONFORMANCE_FUNCTIONS_H

	.option	norelax
	.macro	whole line:vararg
	.option	push
	.option	norvc
	\line
	.option	pop
	.endm

#define FUNC(name)							\
	.p2align 4;							\
	.globl name;							\
	.type name, %function;						\
name:
#define END(name) .size name, . - name

	.text

#endif
