/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * outs_arch.h - system calls that only riscv64 has, for outs.c.
 */
#ifndef KP_USER_OUTS_ARCH_H
#define KP_USER_OUTS_ARCH_H

/* What it does not have: a number that others have for that, and nobody else. */
#define SYS_renameat 38

#define KP_OUTS_ROWS \
	{ 258 /* riscv_hwprobe */, { { 0, TIMES, 16 << 8 | 1 }, { 3, LEN, 2 } } },
#define KP_OUTS_NOTHING 259 /* riscv_flush_icache */,

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
