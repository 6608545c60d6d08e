// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * offsets.c - what env_asm.h has to know of C.
 *
 * Owns: where the preemption counter is; offsets_hit.h has the rest.
 */
#include "offsets_hit.h"

/* One instruction stores both. */
_Static_assert(KP_UNDO_PAGEFAULT == KP_UNDO_PREEMPT + 1, "env_asm.h: kp_direct_note");

void kp_offsets(void);
void kp_offsets(void)
{
	kp_offsets_hit();
#ifdef CONFIG_THREAD_INFO_IN_TASK
	OFFSET(KP_TASK_PREEMPT, task_struct, thread_info.preempt_count);
#endif
}
