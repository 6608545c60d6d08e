/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * monitor.h - a reservation by software.
 *
 * Who comes back from a trap has lost the processor's reservation (or finds its monitor
 * open), so a conditional store that traps, or is stepped to, never stores, and its loop
 * never ends.  Here a load that reserves is a load that notes what it found, and its store
 * stores if that is still there.
 */
#ifndef KP_ARCH_WORDS_MONITOR_H
#define KP_ARCH_WORDS_MONITOR_H

#include "env.h"

struct kp_monitor {
	uintptr_t addr;
	unsigned int len;	/* of what was loaded, in bytes; 0: nothing is reserved */
	uint64_t value[2];
};

struct kp_monitor_memory {
	int (*read)(uintptr_t addr, void *dst, size_t len);	/* 0 or -errno */
	/*
	 * If the len bytes at addr, 1 to 16 and a multiple of len, are old, make new of
	 * them, in one access, ordered against all others.
	 */
	bool (*swap_if)(uintptr_t addr, unsigned int len, const uint64_t *old,
			const uint64_t *new);
};

enum kp_monitored {
	KP_MONITOR_NONE,	/* nothing was done */
	KP_MONITOR_PASSED,	/* its condition does not hold */
	KP_MONITOR_LOADED,
	KP_MONITOR_STORED,
	KP_MONITOR_FAILED,	/* a store that was not made, as its register says */
};
/*
 * The processor's: do what word does at regs, if it is one of them and its memory can be
 * had; then regs are as behind it.
 */
enum kp_monitored kp_monitor_do(struct kp_monitor *monitor, uint32_t word,
				struct pt_regs *regs,
				const struct kp_monitor_memory *memory);

#endif
