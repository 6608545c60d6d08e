/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * monitor.h - the exclusive monitor by software.
 *
 * Who comes back from a trap finds the processor's monitor open, so a store-exclusive that
 * traps, or is stepped to, never stores, and its loop never ends.  Here a load-exclusive is
 * a load that notes what it found, and its store-exclusive stores if that is still there.
 */
#ifndef KP_ARM64_MONITOR_H
#define KP_ARM64_MONITOR_H

#include "env.h"

struct kp_a64_monitor {
	uintptr_t addr;
	unsigned int len;	/* of what was loaded, in bytes; 0: it is open */
	uint64_t value[2];
};

struct kp_a64_exclusive_memory {
	int (*read)(uintptr_t addr, void *dst, size_t len);	/* 0 or -errno */
	/*
	 * If the len bytes at addr, 1 to 16 and a multiple of len, are old, make new of
	 * them, in one access, ordered against all others.
	 */
	bool (*swap_if)(uintptr_t addr, unsigned int len, const uint64_t *old,
			const uint64_t *new);
};

enum kp_a64_exclusive {
	KP_A64_NOT_EXCLUSIVE,	/* nothing was done */
	KP_A64_LOADED,
	KP_A64_STORED,
	KP_A64_FAILED,		/* a store that was not made, as its register says */
};
/*
 * Do what word does at regs, if it is one of them and its memory can be had; then regs are
 * as behind it.
 */
enum kp_a64_exclusive kp_a64_do_exclusive(struct kp_a64_monitor *monitor, uint32_t word,
					  struct pt_regs *regs,
					  const struct kp_a64_exclusive_memory *memory);

#endif
