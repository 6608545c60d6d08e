/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * calls.h - the system calls of i386, which has several of the same name, and two that lead
 * to many.
 *
 * Owns: which of them is meant, how filters of system calls name this processor, and how
 * the kernel calls its functions.
 */
#ifndef KP_CLI_CALLS_H
#define KP_CLI_CALLS_H

#include <linux/audit.h>
#include <stdbool.h>
#include <sys/syscall.h>

#define CALLS_AUDIT_ARCH AUDIT_ARCH_I386
#define CALLS_KERNEL_PREFIX "__ia32_sys_"

/* What else has that name takes a pointer to its arguments, or has other structures. */
#undef SYS_mmap
#define SYS_mmap SYS_mmap2
#undef SYS_fstat
#define SYS_fstat SYS_fstat64
#define SYS_newfstatat SYS_fstatat64

/* Not of 32-bit code, or not calls of their own: no call has these numbers. */
#undef SYS_arch_prctl
#define SYS_arch_prctl (-1023)
#define SYS_accept (-1201)
#define SYS_semop (-1202)
#define SYS_semtimedop (-1203)

/* Does the second argument say where those of the call that it leads to lie? */
#define CALLS_BY_POINTER(call) ((call) == SYS_socketcall)

#define CALLS_REFUSED \
	SYS_truncate64, SYS_ftruncate64, SYS_chown32, SYS_fchown32, SYS_lchown32, SYS_umount, \
	SYS_utimensat_time64, SYS_clock_settime64, SYS_clock_adjtime64, SYS_stime, \
	SYS_socketcall, SYS_ipc,
#define CALLS_JAIL \
	MAY(statx), MAY(_llseek), MAY(futex_time64), MAY(clock_gettime64), \
	MAY(clock_nanosleep_time64), MAY(socketcall),
#define CALLS_ATTACH \
	{ SYS_statx, "statx", { 3 } }, \
	{ SYS_futex_time64, "futex_time64", { 0 } }, \
	{ SYS_clock_gettime64, "clock_gettime64", { 1 } }, \
	{ SYS_clock_nanosleep_time64, "clock_nanosleep_time64", { 0 } }, \
	{ SYS_ppoll_time64, "ppoll_time64", { 0, 1 } }, \
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

/* As which call of the lists it counts: of two that differ in how long a time is, the older. */
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
	case SYS_semtimedop_time64:
		return SYS_semtimedop;
	case SYS_futex_time64:
		return SYS_futex;
	case SYS_clock_nanosleep_time64:
		return SYS_clock_nanosleep;
	case SYS_rt_sigtimedwait_time64:
		return SYS_rt_sigtimedwait;
	case SYS_ppoll_time64:
		return SYS_ppoll;
	case SYS_pselect6_time64:
		return SYS_pselect6;
	case SYS__newselect:
		return SYS_select;
	case SYS_io_pgetevents_time64:
		return SYS_io_pgetevents;
	case SYS_recvmmsg_time64:
		return SYS_recvmmsg;
	case SYS_mq_timedsend_time64:
		return SYS_mq_timedsend;
	case SYS_mq_timedreceive_time64:
		return SYS_mq_timedreceive;
	case SYS_fcntl64:
		return SYS_fcntl;
	case SYS_waitpid:
		return SYS_wait4;
	}
	return call;
}

#endif
