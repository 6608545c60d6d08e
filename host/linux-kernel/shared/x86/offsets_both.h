/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * offsets_both.h - what env_asm.h of either mode of x86 has to know of C.
 *
 * Owns: what a CPU's own data have besides offsets_hit.h.
 */
#include "offsets_hit.h"

void kp_offsets(void);
void kp_offsets(void)
{
	kp_offsets_hit();
	DEFINE(KP_PREEMPT_WORD, &kp_preempt_word);
	DEFINE(KP_CURRENT_WORD, &kp_current_word);
}
