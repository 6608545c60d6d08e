/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * outs_arch.h - system calls that only arm64 has, for outs.c: none.
 */
#ifndef KP_USER_OUTS_ARCH_H
#define KP_USER_OUTS_ARCH_H

#define KP_OUTS_ROWS
#define KP_OUTS_NOTHING

/* One that does the same, of those that all have. */
KP_TRAP_PATH static inline long kp_outs_alike(long nr)
{
	return nr;
}

/* Does it copy this memory, whatever its arguments? */
KP_TRAP_PATH static inline bool kp_outs_forks(long nr)
{
	(void)nr;
	return false;
}

#endif
