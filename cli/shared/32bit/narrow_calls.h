/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * narrow_calls.h - the system calls of processors of 32 bits, of which several have the same
 * name.
 *
 * Owns: which of them is meant, and what the command's lists mean besides.
 */
#ifndef KP_CLI_NARROW_CALLS_H
#define KP_CLI_NARROW_CALLS_H

#include <stdbool.h>
#include <sys/syscall.h>

/* What else has that name takes a pointer to its arguments, or has other structures. */
#undef SYS_mmap
#define SYS_mmap SYS_mmap2
#undef SYS_fstat
#define SYS_fstat SYS_fstat64
#define SYS_newfstatat SYS_fstatat64

/* Not of 32-bit code: no call has this number. */
#undef SYS_arch_prctl
#define SYS_arch_prctl (-1023)

#define CALLS_SLEEPS SYS_clock_nanosleep_time64, SYS_futex_time64,
#define NARROW_REFUSED \
	SYS_truncate64, SYS_ftruncate64, SYS_chown32, SYS_fchown32, SYS_lchown32, \
	SYS_utimensat_time64, SYS_clock_settime64, SYS_clock_adjtime64,
#define NARROW_JAIL \
	MAY(statx), MAY(_llseek), MAY(futex_time64), MAY(clock_gettime64), \
	MAY(clock_nanosleep_time64),
#define NARROW_ATTACH \
	{ SYS_statx, "statx", { 3 } }, \
	{ SYS_futex_time64, "futex_time64", { 0 } }, \
	{ SYS_clock_gettime64, "clock_gettime64", { 1 } }, \
	{ SYS_clock_nanosleep_time64, "clock_nanosleep_time64", { 0 } }, \
	{ SYS_ppoll_time64, "ppoll_time64", { 0, 1 } },

/* As which call of the lists it counts: of two that differ in how long a time is, the older. */
static inline long narrow_alike(long call)
{
	switch (call) {
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
	}
	return call;
}

#endif
