/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * linux/errno.h - error numbers.
 *
 * Owns: nothing; the system's header of this name has them.
 */
#ifndef KP_SHIM_LINUX_ERRNO_H
#define KP_SHIM_LINUX_ERRNO_H

#include_next <linux/errno.h>

#endif
