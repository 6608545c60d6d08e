/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * memory.h - how mem.c copies and fills where there is no instruction for it.
 *
 * Owns: loops that take words where both sides have them.
 */
#ifndef KP_USER_MEMORY_H
#define KP_USER_MEMORY_H

typedef uint64_t kp_mem_word __attribute__((may_alias));

static inline void kp_mem_copy(void *dst, const void *src, size_t len)
{
	uint8_t *d = dst;
	const uint8_t *s = src;

	if (!(((uintptr_t)d | (uintptr_t)s) % sizeof(kp_mem_word)))
		for (; len >= sizeof(kp_mem_word); len -= sizeof(kp_mem_word),
		     d += sizeof(kp_mem_word), s += sizeof(kp_mem_word))
			*(kp_mem_word *)(void *)d = *(const kp_mem_word *)(const void *)s;
	while (len--)
		*d++ = *s++;
}

static inline void kp_mem_fill(void *dst, int byte, size_t len)
{
	kp_mem_word word = 0x0101010101010101ull * (uint8_t)byte;
	uint8_t *d = dst;

	if (!((uintptr_t)d % sizeof(word)))
		for (; len >= sizeof(word); len -= sizeof(word), d += sizeof(word))
			*(kp_mem_word *)(void *)d = word;
	while (len--)
		*d++ = (uint8_t)byte;
}

#endif
