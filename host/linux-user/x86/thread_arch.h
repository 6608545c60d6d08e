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

	__asm__("mov %%rsp, %0" : "=r"(sp));
	return sp;
}

/* What stands so far from the thread pointer; 0: nothing. */
static inline __attribute__((__always_inline__)) int kp_thread_number(long word)
{
	int number = 0;

	__asm__("1: movl %%fs:(%1), %0\n"
		"2:\n\t"
		".pushsection kp_thread_fixups, \"a\"\n\t"
		".long 1b - ., 2b - .\n\t"
		".popsection"
		: "+r"(number) : "r"(word));
	return number;
}

/*
 * The base of the segment.  It need not be a pointer to itself; unless the kernel may be
 * asked, that is what it is taken for.
 */
static inline uintptr_t kp_thread_pointer(bool ask)
{
	uintptr_t self = 0;

	if (!ask) {
		__asm__("1: mov %%fs:0, %0\n"
			"2:\n\t"
			".pushsection kp_thread_fixups, \"a\"\n\t"
			".long 1b - ., 2b - .\n\t"
			".popsection"
			: "+r"(self));
		return self;
	}
	sys3(SYS_arch_prctl, 0x1003 /* ARCH_GET_FS */, &self, 0);
	return self;
}

#endif
