/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * memory.h - how mem.c copies and fills on x86-64.
 *
 * Owns: two instructions.
 */
#ifndef KP_USER_MEMORY_H
#define KP_USER_MEMORY_H

static inline void kp_mem_copy(void *dst, const void *src, size_t len)
{
	__asm__ volatile("rep movsb" : "+D"(dst), "+S"(src), "+c"(len)
			 : : "memory");
}

static inline void kp_mem_fill(void *dst, int byte, size_t len)
{
	__asm__ volatile("rep stosb" : "+D"(dst), "+c"(len) : "a"(byte)
			 : "memory");
}

#endif
