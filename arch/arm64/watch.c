/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * watch.c - what a watchpoint can hold.
 *
 * Owns: the lengths.  DBGWCR selects bytes of one aligned double word; whole powers of
 * two are what every kernel takes.
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
