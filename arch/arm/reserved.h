/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * reserved.h - where a trap would take a reservation away.
 */
#ifndef KP_ARM_RESERVED_H
#define KP_ARM_RESERVED_H

#include "env.h"
#include "region.h"

/* May the bytes before an instruction of T32 begin an IT block that it is in? */
bool kp_arm_may_be_in_block(const uint8_t before[KP_REGION_BEFORE]);

/*
 * Is a store-exclusive to be reached from the instruction at addr, without another
 * load-exclusive?  [start, start+len): its function, of T32 if thumb; read: 0 or -errno.
 */
bool kp_arm_is_reserved(uintptr_t start, size_t len, uintptr_t addr, bool thumb,
			int (*read)(uint8_t *dst, uintptr_t addr, size_t len));

#endif
