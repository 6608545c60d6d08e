/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * calls.h - the system calls of MIPS' 64 bits (n64), which has not all that the command's
 * lists name.
 *
 * Owns: numbers for those: each another one, and no call's; how filters of system calls name
 * this processor, and how the kernel calls its functions.
 */
#ifndef KP_CLI_CALLS_H
#define KP_CLI_CALLS_H

#include "plain_calls.h"

#include <linux/audit.h>
#include <sys/syscall.h>

#define CALLS_FIRST 5000		/* their numbers begin there */
#define SYS_select SYS__newselect
#define SYS_vfork (-1017)
#define SYS_arch_prctl (-1023)

#define CALLS_AUDIT_ARCH AUDIT_ARCH_MIPSEL64
#define CALLS_KERNEL_PREFIX ""	/* they take parameters */

#endif
