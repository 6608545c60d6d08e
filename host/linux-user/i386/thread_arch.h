/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * thread_arch.h - the instructions of i386 that read a thread's registers.
 *
 * Owns: what thread_word.h asks of a processor.
 */
#ifndef KP_USER_THREAD_ARCH_H
#define KP_USER_THREAD_ARCH_H

#define KP_THREAD_SP "mov %%esp, %0"
#define KP_THREAD_LOAD "movl %%gs:(%1), %0"
#define KP_THREAD_FROM(word) (word)

/*
 * The base of the segment.  It need not be a pointer to itself; unless the kernel may be
 * asked, that is what it is taken for.
 */
static inline uintptr_t kp_thread_pointer(bool ask)
{
	uintptr_t self = 0;
	struct { unsigned int entry, base, limit, flags; } about = { 0, 0, 0, 0 };
	unsigned int selector;

	if (!ask) {
		__asm__(KP_THREAD_MAY_FAULT("mov %%gs:0, %0") : "+r"(self));
		return self;
	}
	__asm__("mov %%gs, %0" : "=r"(selector));
	about.entry = (selector & 0xffff) >> 3;
	if (!about.entry || sys3(SYS_get_thread_area, &about, 0, 0))
		return 0;
	return about.base;
}

#endif
