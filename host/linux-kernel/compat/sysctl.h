/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * compat/sysctl.h - tables of files below /proc/sys.
 *
 * Owns: two differences between kernels.  A table ends with an empty entry, or
 * (since 6.6, where register_sysctl is a macro) where its array ends; and its
 * entry is const for handlers since 6.11, as the type of a handler tells.
 */
#ifndef KP_COMPAT_SYSCTL_H
#define KP_COMPAT_SYSCTL_H

#include <linux/sysctl.h>

#ifdef register_sysctl
#define KP_CTL_TABLE_END
#else
#define KP_CTL_TABLE_END { }
#endif

typedef int kp_const_handler(const struct ctl_table *table, int write,
			     void *buffer, size_t *len, loff_t *at);

typedef __typeof__(__builtin_choose_expr(
	__builtin_types_compatible_p(proc_handler, kp_const_handler),
	(const struct ctl_table *)NULL, (struct ctl_table *)NULL)) kp_ctl_entry;

#endif
