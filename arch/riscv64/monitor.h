/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * monitor.h - a reservation by software.
 *
 * Who comes back from a trap has lost the processor's reservation, so a store-conditional
 * that traps, or is stepped to, never stores, and its loop never ends.  Here a load-reserved
 * is a load that notes what it found, and its store-conditional stores if that is still
 * there.
 */
#ifndef KP_RISCV64_MONITOR_H
#define KP_RISCV64_MONITOR_H

#include "env.h"

struct kp_rv_monitor {
	uintptr_t addr;
	unsigned int len;	/* of what was loaded, in bytes; 0: nothing is reserved */
	uint64_t value;
};

struct kp_rv_reserved_memory {
	int (*read)(uintptr_t addr, void *dst, size_t len);	/* 0 or -errno */
	/*
	 * If the len bytes at addr, a multiple of len, are old, make new of them, in one
	 * access, ordered against all others.
	 */
	bool (*swap_if)(uintptr_t addr, unsigned int len, const uint64_t *old,
			const uint64_t *new);
};

enum kp_rv_conditional {
	KP_RV_NOT_CONDITIONAL,	/* nothing was done */
	KP_RV_LOADED,
	KP_RV_STORED,
	KP_RV_FAILED,		/* a store that was not made, as its register says */
};
/*
 * Do what word does at regs, if it is one of them and its memory can be had; then regs are
 * as behind it.
 */
enum kp_rv_conditional kp_rv_do_conditional(struct kp_rv_monitor *monitor, uint32_t word,
					    struct pt_regs *regs,
					    const struct kp_rv_reserved_memory *memory);

#endif
