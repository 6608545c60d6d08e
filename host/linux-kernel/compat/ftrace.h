/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * compat/ftrace.h - how ftrace is told what to call, and what it hands over.
 *
 * Owns: three differences between kernels.
 *   - Registers come in a struct of their own since 5.11, together with the
 *     option to hand over less than all of them.
 *   - Until then who does not say that he bears recursion is called by somebody who
 *     guards against it; since then who says nothing is called at once.
 *   - Many sites are put into a filter at once since 5.18.
 */
#ifndef KP_COMPAT_FTRACE_H
#define KP_COMPAT_FTRACE_H

#include <linux/ftrace.h>

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_REGS

#if defined(CONFIG_HAVE_DYNAMIC_FTRACE_WITH_ARGS) || defined(arch_ftrace_get_regs)
#define kp_ftrace_regs ftrace_regs
#define KP_FTRACE_OPS_PLAIN 0
static __always_inline struct pt_regs *
kp_ftrace_get_regs(struct kp_ftrace_regs *regs)
{
	return ftrace_get_regs(regs);
}
#else
#define kp_ftrace_regs pt_regs
#define KP_FTRACE_OPS_PLAIN FTRACE_OPS_FL_RECURSION_SAFE
static __always_inline struct pt_regs *
kp_ftrace_get_regs(struct kp_ftrace_regs *regs)
{
	return regs;
}
#endif

#ifndef KP_HAS_ftrace_set_filter_ips
/* One by one; where one is not taken, none is. */
static inline int ftrace_set_filter_ips(struct ftrace_ops *ops,
					unsigned long *ips, unsigned int nr,
					int remove, int reset)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < nr && !err; i++)
		err = ftrace_set_filter_ip(ops, ips[i], remove, reset);
	if (!err)
		return 0;
	for (i--; i; i--)
		ftrace_set_filter_ip(ops, ips[i - 1], !remove, 0);
	return err;
}
#endif

#endif

#endif
