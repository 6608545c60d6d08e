// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * offsets.c - what env_asm.h has to know of C.
 *
 * Owns: nothing that is loaded.  host.mk makes a header of the assembler text of
 * this file.
 */
#include "context.h"
#include "thread.h"
#include "threads/contexts.h"

#define OFFSET(name, type, field)					\
	__asm__ volatile("\n.ascii \"->" #name " %c0\""			\
			 : : "i" (offsetof(type, field)))

void kp_offsets(void);
void kp_offsets(void)
{
	OFFSET(KP_ROOM_CONTEXT, struct kp_user_thread, room.context);
	OFFSET(KP_CTX_PARKED, struct kp_context, parked);
	OFFSET(KP_CTX_RETIRED_ROUND, struct kp_context, retired_round);
	OFFSET(KP_CTX_TAKEN, struct kp_context, taken);
	OFFSET(KP_CTX_SITE, struct kp_context, site);
	OFFSET(KP_CTX_CURRENT, struct kp_context, current);
	OFFSET(KP_CTX_FRAME, struct kp_context, frame);
	OFFSET(KP_CTX_VECTORS, struct kp_context, vectors);
	OFFSET(KP_CTX_SAVED, struct kp_context, saved);
	OFFSET(KP_CTX_INSIDE, struct kp_user_context, inside);
	OFFSET(KP_CTX_LEFT, struct kp_user_context, left);
	OFFSET(KP_CTX_STAMP, struct kp_user_context, stamp);
	OFFSET(KP_CTX_ODD, struct kp_user_context, odd);
}
