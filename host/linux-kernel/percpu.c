// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * percpu.c - what each CPU keeps.
 *
 * Owns: the contexts of its levels, and how much the traps that it handles for us have added
 * to its preemption counter.  context.c says what they mean.
 *
 * No locks: only the CPU itself touches them.
 */
#include "local.h"

DEFINE_PER_CPU(struct kp_context[KP_LEVELS], kp_contexts);
DEFINE_PER_CPU(unsigned int, kp_traps);
