// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * rcu_word.c - where a kernel keeps that RCU watches this CPU.
 *
 * Owns: nothing that is looked for: on kernels that show it to no module (before 5.18)
 * the kernel's function is asked at each hit.
 */
#include <linux/percpu.h>
#include "local.h"

#ifdef KP_RCU_IS_FOUND
static DEFINE_PER_CPU(unsigned int, unknown);
unsigned int __percpu *kp_rcu_at = &unknown;
#endif

void kp_rcu_start(void)
{
}
