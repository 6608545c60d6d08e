/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * watch.c - the words of debug registers, for a port whose host has none either.
 *
 * Owns: the length of a word.  The host is asked afterwards whether there are any.
 */
#include "watch.h"

unsigned int kp_arch_watch_len(uintptr_t addr, size_t len)
{
	unsigned int word = 8;

	while (word > len || (addr & (word - 1)))
		word /= 2;
	return word;
}

/* None is known: the words are looked at. */
KP_TRAP_PATH void kp_arch_change_of(struct kp_arch_change *out, const uint8_t *code,
				    struct pt_regs *regs, const struct kp_watch_word *word)
{
	(void)code;
	(void)regs;
	(void)word;
	*out = (struct kp_arch_change){ .kind = KP_ARCH_CHANGED_UNKNOWN };
}
