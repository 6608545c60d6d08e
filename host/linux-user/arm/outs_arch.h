/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * outs_arch.h - system calls that only arm has, for outs.c.
 *
 * Owns: what they write.  Those of the processor's alone have numbers behind all others.
 */
#ifndef KP_USER_OUTS_ARCH_H
#define KP_USER_OUTS_ARCH_H

#include "outs_32.h"

/* What it does not have by these names. */
#define SYS_getrlimit SYS_ugetrlimit
#define SYS_fadvise64 SYS_arm_fadvise64_64
#define SYS_sync_file_range SYS_sync_file_range2

#define KP_OUTS_ROWS KP_OUTS_ROWS_32 \
	{ SYS_recv, { { 1, RESULT, 2 } } }, \
	{ SYS_pciconfig_read, { { 4, LEN, 3 } } },

#define KP_OUTS_NOTHING KP_OUTS_NOTHING_32 \
	SYS_send, SYS_pciconfig_write, SYS_pciconfig_iobase,

#define KP_OUTS_LEAD 1

/* The processor's own: cacheflush and what is about a thread's pointer.  They write nothing. */
KP_TRAP_PATH static inline long kp_outs_led_to(long nr, unsigned long args[6], bool *fixed)
{
	(void)args;
	*fixed = false;
	return nr >= 0xf0001 && nr <= 0xf0006 ? SYS_getpid : nr;
}

#endif
