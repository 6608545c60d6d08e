/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * compat/fault.h - which way a fault of the kernel's own goes.
 *
 * Owns: whether some go past fixup_exception, as user memory touched without
 * permission does since 5.12.  Before, each that is not resolved is asked of it.
 */
#ifndef KP_COMPAT_FAULT_H
#define KP_COMPAT_FAULT_H

#include <linux/version.h>

#define KP_FAULTS_PASS_FIXUPS						\
	(LINUX_VERSION_CODE >= KERNEL_VERSION(5, 12, 0))

#endif
