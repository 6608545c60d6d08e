/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * thread_arch.h - the instructions of x86-64 that read a thread's registers.
 *
 * Owns: what thread_word.h asks of a processor.
 */
#ifndef KP_USER_THREAD_ARCH_H
#define KP_USER_THREAD_ARCH_H

#define KP_THREAD_SP "mov %%rsp, %0"
#define KP_THREAD_LOAD "movl %%fs:(%1), %0"
#define KP_THREAD_FROM(word) (word)

/*
 * The base of the segment.  It need not be a pointer to itself; unless the kernel may be
 * asked, that is what it is taken for.
 */
static inline uintptr_t kp_thread_pointer(bool ask)
{
	uintptr_t self = 0;

	if (!ask) {
		__asm__(KP_THREAD_MAY_FAULT("mov %%fs:0, %0") : "+r"(self));
		return self;
	}
	sys3(SYS_arch_prctl, 0x1003 /* ARCH_GET_FS */, &self, 0);
	return self;
}

#endif
