/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * slot_post.c - for a port whose slots call no code.
 *
 * Owns: stepped forms that end in a breakpoint.
 */
#include "jump.h"

int kp_arch_emit_slot_post(const struct kp_arch_probe *ap, uintptr_t slot,
			   uintptr_t post, uint8_t *image, const char **reason)
{
	(void)post;
	return kp_arch_emit_slot(ap, slot, image, reason);
}
