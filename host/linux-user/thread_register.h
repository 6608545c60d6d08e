/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * thread_register.h - the thread pointer of processors that have it in a register.
 *
 * Owns: how KP_THREAD_POINTER, of thread_arch.h, is read.
 */
#ifndef KP_USER_THREAD_REGISTER_H
#define KP_USER_THREAD_REGISTER_H

#define KP_THREAD_FROM(word) (kp_thread_pointer(false) + (uintptr_t)(word))

static inline __attribute__((__always_inline__)) uintptr_t kp_thread_pointer(bool ask)
{
	uintptr_t self;

	(void)ask;
	__asm__(KP_THREAD_POINTER : "=r"(self));
	return self;
}

#endif
