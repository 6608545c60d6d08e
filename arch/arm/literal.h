/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * literal.h - data among the code of a function.
 */
#ifndef KP_ARM_LITERAL_H
#define KP_ARM_LITERAL_H

#include "env.h"

/*
 * Is what stands at addr data of its function's, by what other instructions of that say?
 * [start, start+len): the function, of T32 if thumb; read: 0 or -errno.
 */
bool kp_arm_is_literal(uintptr_t start, size_t len, uintptr_t addr, bool thumb,
		       int (*read)(uint8_t *dst, uintptr_t addr, size_t len));

#endif
