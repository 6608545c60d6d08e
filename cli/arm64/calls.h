/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * calls.h - the system calls of arm64, which has not all that the command's lists name.
 *
 * Owns: how filters of system calls name this processor, and how the kernel calls its
 * functions.
 */
#ifndef KP_CLI_CALLS_H
#define KP_CLI_CALLS_H

#include "no_calls.h"
#include "plain_calls.h"

#include <linux/audit.h>

#define CALLS_AUDIT_ARCH AUDIT_ARCH_AARCH64
#define CALLS_KERNEL_PREFIX "__arm64_sys_"

#endif
