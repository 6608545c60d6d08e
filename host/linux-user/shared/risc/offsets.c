// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * offsets.c - what env_asm.h has to know of C.
 *
 * Owns: nothing that is loaded.  host.mk makes a header of the assembler text of
 * this file.
 */
#include "thread.h"

#define OFFSET(name, type, field)					\
	__asm__ volatile("\n.ascii \"->" #name " %c0\""			\
			 : : "i" (offsetof(type, field)))

void kp_offsets(void);
void kp_offsets(void)
{
	OFFSET(KP_ROOM_CONTEXT, struct kp_user_thread, room.context);
}
