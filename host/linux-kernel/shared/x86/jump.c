// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * jump.c - jumps that the host makes of places in its own text.
 *
 * Owns: their bytes.
 */
#include "local.h"

int kp_text_write_jump(uintptr_t at, uintptr_t target)
{
	uint8_t jump[KP_JUMP_LEN] = { 0xe9 };		/* jmp rel32 */
	int32_t disp = target - (at + sizeof(jump));

	memcpy(jump + 1, &disp, sizeof(disp));
	return kp_text_alias_write(at, jump, sizeof(jump));
}
