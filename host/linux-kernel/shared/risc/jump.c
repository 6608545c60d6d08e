// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * jump.c - jumps that the host makes of places in its own text.
 *
 * Owns: where in such a place the address is.
 */
#include "local.h"

int kp_text_write_jump(uintptr_t at, uintptr_t target)
{
	/* Its last word: KP_ASM_JUMP_PLACE. */
	return kp_text_alias_write(at + KP_JUMP_LEN - sizeof(target), &target,
				   sizeof(target));
}
