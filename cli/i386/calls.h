/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * calls.h - the system calls of i386, of which two lead to many.
 *
 * Owns: which of these is meant, how filters of system calls name this processor, and how
 * the kernel calls its functions.
 */
#ifndef KP_CLI_CALLS_H
#define KP_CLI_CALLS_H

/* Not calls of their own: no call has these numbers. */
#define SYS_accept (-1201)
#define SYS_semop (-1202)
#define SYS_semtimedop (-1203)

#include "narrow_calls.h"

#include <linux/audit.h>

#define CALLS_AUDIT_ARCH AUDIT_ARCH_I386
#define CALLS_KERNEL_PREFIX "__ia32_sys_"

/* Does the second argument say where those of the call that it leads to lie? */
#define CALLS_BY_POINTER(call) ((call) == SYS_socketcall)

#define CALLS_REFUSED NARROW_REFUSED SYS_umount, SYS_stime, SYS_socketcall, SYS_ipc,
#define CALLS_JAIL NARROW_JAIL MAY(socketcall),
#define CALLS_ATTACH NARROW_ATTACH \
	{ SYS_socketcall, "socketcall", { 8 } }, \
	{ SYS_socketcall, "socketcall", { 16 } }, \
	{ SYS_socketcall, "socketcall", { 17 } }, \
	{ SYS_set_thread_area, "set_thread_area", { 0 } },

/* socketcall's numbers, from 1 on. */
static inline long calls_of_socket(unsigned long number)
{
	switch (number) {
	case 3:
		return SYS_connect;
	case 5:
		return SYS_accept;
	case 10:			/* recv */
	case 12:
		return SYS_recvfrom;
	case 9:				/* send */
	case 11:
		return SYS_sendto;
	case 14:
		return SYS_setsockopt;
	case 16:
		return SYS_sendmsg;
	case 17:
		return SYS_recvmsg;
	case 18:
		return SYS_accept4;
	case 19:
		return SYS_recvmmsg;
	case 20:
		return SYS_sendmmsg;
	}
	return SYS_socketcall;
}

/* As which call of the lists it counts. */
static inline long calls_alike(long call, unsigned long first)
{
	switch (call) {
	case SYS_socketcall:
		return calls_of_socket(first);
	case SYS_ipc:
		switch (first & 0xffff) {
		case 1:
			return SYS_semop;
		case 4:
			return SYS_semtimedop;
		case 11:
			return SYS_msgsnd;
		case 12:
			return SYS_msgrcv;
		}
		return call;
	case SYS_waitpid:
		return SYS_wait4;
	}
	return narrow_alike(call);
}

#endif
