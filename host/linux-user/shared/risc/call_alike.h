/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * call_alike.h - system calls that differ in how long a time is.
 *
 * Owns: which of them are so, where words have 32 bits.
 */
#ifndef KP_USER_CALL_ALIKE_H
#define KP_USER_CALL_ALIKE_H

#include <sys/syscall.h>

/* Of two calls that differ in how long a time is, the older one. */
static inline long kp_call_alike(long nr)
{
	switch (nr) {
	case SYS_rt_sigtimedwait_time64:
		return SYS_rt_sigtimedwait;
	case SYS_ppoll_time64:
		return SYS_ppoll;
	case SYS_pselect6_time64:
		return SYS_pselect6;
	case SYS_io_pgetevents_time64:
		return SYS_io_pgetevents;
	}
	return nr;
}

#endif
