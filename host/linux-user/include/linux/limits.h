/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * linux/limits.h - limits of names.
 *
 * Owns: nothing; the system's header of this name has them.
 */
#ifndef KP_SHIM_LINUX_LIMITS_H
#define KP_SHIM_LINUX_LIMITS_H

#include_next <linux/limits.h>

#endif
