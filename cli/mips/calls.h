/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * calls.h - the system calls of MIPS, whose lists differ by the width (n64, o32).
 *
 * Owns: numbers for what the command's lists name and these have not: each another one, and no
 * call's; what the lists mean besides; how filters of system calls name this processor, and
 * how the kernel calls its functions.
 */
#ifndef KP_CLI_CALLS_H
#define KP_CLI_CALLS_H

#include <sys/syscall.h>

#include "abi.h"

#if ABI_WIDE
#include "plain_calls.h"

#define SYS_select SYS__newselect
#define SYS_vfork (-1017)
#define SYS_arch_prctl (-1023)

#define CALLS_AUDIT_ARCH AUDIT_ARCH_MIPSEL64
#else
#define SYS_select (-1019)
#define SYS_semop (-1202)
#define SYS_semtimedop (-1203)
#define SYS_vfork (-1017)
/* The only ones. */
#define SYS_chown32 SYS_chown
#define SYS_fchown32 SYS_fchown
#define SYS_lchown32 SYS_lchown

#include "narrow_calls.h"

#define CALLS_AUDIT_ARCH AUDIT_ARCH_MIPSEL

/* One leads to the call that its first argument names; those of sockets have numbers, too. */
#define CALLS_BY_POINTER(call) false

#define CALLS_REFUSED NARROW_REFUSED SYS_syscall, SYS_socketcall, SYS_ipc, SYS_umount, SYS_stime,
#define CALLS_JAIL NARROW_JAIL MAY(send),
#define CALLS_ATTACH NARROW_ATTACH { SYS_cacheflush, "cacheflush", { 0 } },

static inline long calls_alike(long call, unsigned long first)
{
	switch (call) {
	case SYS_syscall:
		return first ? calls_alike((long)first, 0) : call;
	case SYS_recv:
		return SYS_recvfrom;
	case SYS_send:
		return SYS_sendto;
	}
	return narrow_alike(call);
}
#endif

#include <linux/audit.h>

#define CALLS_FIRST ABI_CALLS
#define CALLS_KERNEL_PREFIX ""	/* they take parameters */

#endif
