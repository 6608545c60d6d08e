/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jumps.h - jumps in the text.
 */
#ifndef KP_CORE_JUMPS_H
#define KP_CORE_JUMPS_H

#include "batch.h"

int kp_jump_write(struct kp_batch *batch);	/* empties the batch */
int kp_jump_remove(struct kp_batch *batch);	/* leaves it as it is */
void kp_jump_forget(struct kp_site *site);
size_t kp_jump_nr(void);			/* in the text; any context */
bool kp_jump_starts(uint8_t byte);		/* may one in the text? */
unsigned long kp_jump_removals(void);		/* a generation; any context */

#endif
