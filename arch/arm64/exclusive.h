/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where nothing may trap: from a load-exclusive to its store-exclusive.
 */
#ifndef KP_ARCH_ARM64_EXCLUSIVE_H
#define KP_ARCH_ARM64_EXCLUSIVE_H

#include "insn.h"

/* A function, or another piece of code that stands for itself. */
struct kp_a64_text {
	uintptr_t start;
	size_t nr;		/* instructions */
	int (*read)(uint8_t *dst, uintptr_t addr, size_t len);	/* 0 or -errno */
};

/* Instructions before and behind one that are looked at. */
#define KP_A64_AROUND 2048

/*
 * Would a trap at instruction @at take the monitor away from a store-exclusive?  Such a
 * loop would never end.  Also true where that cannot be told: text that cannot be read;
 * ways that lead too far, in a text that has one.
 */
bool kp_a64_is_exclusive(const struct kp_a64_text *text, size_t at);

#endif
