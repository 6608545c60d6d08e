/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * auth.h - signed addresses.
 */
#ifndef KP_ARM64_AUTH_H
#define KP_ARM64_AUTH_H

#include "env.h"

/*
 * Was value signed with that modifier, by the instruction keys A or B of whoever
 * executes this?  Then *target is what it stands for.  Never faults.
 */
bool kp_a64_authenticate(uint64_t value, uint64_t modifier, bool key_b,
			 uint64_t *target);

#endif
