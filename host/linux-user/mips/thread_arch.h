/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * thread_arch.h - a thread pointer and what stands there, where it may be any.
 *
 * Owns: the instructions.  A place that may fault is in the section kp_thread_fixups, with
 * where to go on: two words, each relative to itself.
 */
#ifndef KP_USER_THREAD_ARCH_H
#define KP_USER_THREAD_ARCH_H

#include "sys.h"

static inline __attribute__((__always_inline__)) uintptr_t kp_thread_stack_pointer(void)
{
	uintptr_t sp;

	__asm__("move %0, $29" : "=r"(sp));
	return sp;
}

/* ask: the kernel may be asked. */
static inline __attribute__((__always_inline__)) uintptr_t kp_thread_pointer(bool ask)
{
	uintptr_t self;

	(void)ask;
	__asm__(".set push\n\t.set mips32r2\n\trdhwr %0, $29\n\t.set pop" : "=r"(self));
	return self;
}

/* What stands so far from the thread pointer; 0: nothing. */
static inline __attribute__((__always_inline__)) int kp_thread_number(long word)
{
	int number = 0;

	__asm__("1: lw %0, 0(%1)\n"
		"2:\n\t"
		".pushsection kp_thread_fixups, \"a\"\n\t"
		".balign 4\n\t"
		".long 1b - ., 2b - .\n\t"
		".popsection"
		: "+r"(number) : "r"(kp_thread_pointer(false) + (uintptr_t)word));
	return number;
}

#endif
