/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * functions.h - how the functions that are probed begin and end.
 *
 * Owns: FUNC and END.
 */
#ifndef KP_CONFORMANCE_FUNCTIONS_H
#define KP_CONFORMANCE_FUNCTIONS_H

#define FUNC(name)							\
	.p2align 4;							\
	.globl name;							\
	.type name, @function;						\
name:
#define END(name) .size name, . - name

	.text

#endif
