/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * calls.h - the system calls of arm (EABI), which has not all that the command's lists name.
 *
 * Owns: numbers for those: each another one, and no call's; what the lists mean besides; how
 * filters of system calls name this processor, and how the kernel calls its functions.
 */
#ifndef KP_CLI_CALLS_H
#define KP_CLI_CALLS_H

#define SYS_utime (-1012)
#define SYS_select (-1019)
#define SYS_alarm (-1022)

#include "narrow_calls.h"

#include <linux/audit.h>

#define CALLS_AUDIT_ARCH AUDIT_ARCH_ARM
#define CALLS_KERNEL_PREFIX ""	/* they take parameters */

/* No number leads to another call. */
#define CALLS_BY_POINTER(call) false

#define CALLS_REFUSED NARROW_REFUSED
#define CALLS_JAIL NARROW_JAIL MAY(send),
#define CALLS_ATTACH NARROW_ATTACH { 0x0f0002, "cacheflush", { 0 } },

static inline long calls_alike(long call, unsigned long first)
{
	(void)first;
	switch (call) {
	case SYS_recv:
		return SYS_recvfrom;
	case SYS_send:
		return SYS_sendto;
	}
	return narrow_alike(call);
}

#endif
