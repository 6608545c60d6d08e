/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where nothing may trap: from a load-exclusive to its store-exclusive.
 */
#ifndef KP_ARCH_ARM64_EXCLUSIVE_H
#define KP_ARCH_ARM64_EXCLUSIVE_H

#include "insn.h"

/* The bytes that kp_a64_is_exclusive() wants at @seen, for @nr instructions. */
#define KP_A64_SEEN_LEN(nr) (((nr) + 7) / 8)

/*
 * Would a trap at instruction @at of the function @text, of @nr instructions, take the
 * monitor away from a store-exclusive?  Such a loop would never end.  @seen is used
 * meanwhile.
 */
bool kp_a64_is_exclusive(const uint32_t *text, size_t nr, size_t at, uint8_t *seen);

#endif
