/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * thread_word.h - a thread pointer and what stands there, where it may be any.
 *
 * Owns: the section kp_thread_fixups: where a load may fault, and where to go on then, two
 * words, each relative to itself.  A processor's thread_arch.h gives the instructions:
 *
 *   KP_THREAD_SP	%0 = the stack pointer
 *   KP_THREAD_LOAD	%0 = the int so far from the thread pointer as %1 says (KP_THREAD_FROM)
 *   KP_THREAD_FROM(word)	what %1 is
 *   kp_thread_pointer()	ask: the kernel may be asked
 */
#ifndef KP_USER_THREAD_WORD_H
#define KP_USER_THREAD_WORD_H

#include "sys.h"

/* Around a load, which is left as it was where it faults. */
#define KP_THREAD_MAY_FAULT(load) \
	"1: " load "\n" \
	"2:\n\t" \
	".pushsection kp_thread_fixups, \"a\"\n\t" \
	".balign 4\n\t" \
	".long 1b - ., 2b - .\n\t" \
	".popsection"

#include "thread_arch.h"

static inline __attribute__((__always_inline__)) uintptr_t kp_thread_stack_pointer(void)
{
	uintptr_t sp;

	__asm__(KP_THREAD_SP : "=r"(sp));
	return sp;
}

/* What stands so far from the thread pointer; 0: nothing. */
static inline __attribute__((__always_inline__)) int kp_thread_number(long word)
{
	int number = 0;

	__asm__(KP_THREAD_MAY_FAULT(KP_THREAD_LOAD)
		: "+r"(number) : "r"(KP_THREAD_FROM(word)));
	return number;
}

#endif
