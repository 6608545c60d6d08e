/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * many_signals.h - sets of 128 signals, as sys.h has those of 64 on other processors.
 *
 * Owns: a vector of the kernel's words, of which the compiler makes instructions for
 * words: the first word has the first signals whatever the byte order.
 */
#ifndef KP_USER_MANY_SIGNALS_H
#define KP_USER_MANY_SIGNALS_H

#define SYS_SIGNALS 128
#define SYS_WORD_SIGNALS (8 * sizeof(long))

typedef unsigned long sys_sigset
	__attribute__((vector_size(SYS_SIGNALS / 8), aligned(sizeof(long)), may_alias));
#define SYS_SIG(sig) sys_sig((unsigned int)(sig))

SYS_INLINE sys_sigset sys_sig(unsigned int sig)
{
	sys_sigset set = { 0 };

	set[(sig - 1) / SYS_WORD_SIGNALS] = 1ul << (sig - 1) % SYS_WORD_SIGNALS;
	return set;
}

SYS_INLINE bool sys_any(sys_sigset set)
{
	unsigned long any = 0;
	unsigned int i;

	for (i = 0; i < sizeof(set) / sizeof(set[0]); i++)
		any |= set[i];
	return any;
}

/* The first 64 of them; and a set that has those alone. */
SYS_INLINE uint64_t sys_first(sys_sigset set)
{
	return sizeof(long) == 8 ? set[0] : set[0] | (uint64_t)set[1] << 32;
}

SYS_INLINE sys_sigset sys_set_of(uint64_t first)
{
	sys_sigset set = { (unsigned long)first };

	if (sizeof(long) == 4)
		set[1] = (unsigned long)(first >> 32);
	return set;
}

#endif
