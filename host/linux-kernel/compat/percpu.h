/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * compat/percpu.h - what a hit reads of a CPU's own data.
 *
 * Owns: the names of the preemption counter and of the pointer to the task, which
 * lie in a struct from 6.2 to 6.14, and of the bit that says that RCU watches
 * (renamed in 6.12; before 5.18 its word has a name that no module sees, and is found
 * when this one is loaded: rcu_word.c).
 *
 * No locks; any context.
 */
#ifndef KP_COMPAT_PERCPU_H
#define KP_COMPAT_PERCPU_H

#include <linux/context_tracking_state.h>
#include <linux/preempt.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0) &&			\
	LINUX_VERSION_CODE < KERNEL_VERSION(6, 15, 0)
#define kp_preempt_word pcpu_hot.preempt_count
#define kp_current_word pcpu_hot.current_task
#else
#define kp_preempt_word __preempt_count
#define kp_current_word current_task
#endif

#ifdef RCU_DYNTICKS_IDX
#define KP_RCU_WATCHING RCU_DYNTICKS_IDX
#elif defined(CT_RCU_WATCHING)
#define KP_RCU_WATCHING CT_RCU_WATCHING
#endif

#ifdef KP_RCU_WATCHING
#define kp_rcu_word context_tracking.state.counter
#else
/* The bit is set: RCU watches.  It is not: rcu_is_watching() knows. */
#define KP_RCU_IS_FOUND 1
#define KP_RCU_WATCHING 2
#define kp_rcu_word (*kp_rcu_at)
extern unsigned int __percpu *kp_rcu_at;
#endif

#endif
