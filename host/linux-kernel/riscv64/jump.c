// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * jump.c - jumps that the host makes of places in its own text.
 *
 * Owns: where in such a place the address is.
 */
#include "local.h"

#define ADDRESS_AT 16

int kp_text_write_jump(uintptr_t at, uintptr_t target)
{
	return kp_text_alias_write(at + ADDRESS_AT, &target, sizeof(target));
}
