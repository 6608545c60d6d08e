/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * calls.c - the program's system calls that are watched, and whether all of them can be.
 *
 * Owns: which calls to watch, and why one cannot be watched.  Calls that might block SIGTRAP are
 * always watched.  From the first protected page on, calls that may write to memory are watched
 * too (calls_all.c).  ARCH/syscalls.c finds their instructions.
 *
 * Locks: the registry lock.
 */
#include "signals/calls.h"
#include "machine.h"

#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 SYS_NEWER(441)
#endif

/* Where there are older ones, of masks of a word; and where there are even older ones. */
#ifdef SYS_sigprocmask
#define OLD_CALLS SYS_sigprocmask, SYS_sigaction, SYS_sigsuspend
#else
#define OLD_CALLS SYS_rt_sigprocmask, SYS_rt_sigaction, SYS_rt_sigsuspend
#endif
#ifdef SYS_sgetmask
#define OLDEST_CALLS SYS_signal, SYS_sgetmask, SYS_ssetmask
#else
#define OLDEST_CALLS SYS_rt_sigprocmask, SYS_rt_sigprocmask, SYS_rt_sigprocmask
#endif

/* All that mask.c serves. */
const uint16_t kp_user_calls_held[KP_CALLS_HELD] = {
	SYS_rt_sigprocmask, SYS_rt_sigaction, SYS_rt_sigreturn,
	SYS_rt_sigtimedwait, SYS_rt_sigsuspend, SYS_ppoll, SYS_epoll_pwait,
	SYS_epoll_pwait2, SYS_pselect6, SYS_io_pgetevents, SYS_io_uring_enter,
	SYS_execve, SYS_execveat, SYS_sigaltstack, SYS_seccomp,
	SYS_prctl, OLD_CALLS, OLDEST_CALLS,
};

static const char *cannot;		/* watch one that should be; or NULL */
static bool all_wanted;			/* those that may write, too */

void kp_user_calls_miss(enum kp_calls_miss why)
{
	static const char *const words[] = {
		[KP_CALLS_NO_STUB] = "the engine did not start: a system call that might block SIGTRAP cannot be watched, for there is no memory near it",
		[KP_CALLS_NO_ROOM] = "the engine did not start: more system calls might block SIGTRAP than can be watched",
		[KP_CALLS_NO_CODE] = "it has code of which nothing is known",
	};

	cannot = words[why];
}

const char *kp_user_calls_missed(void)
{
	return cannot;
}

bool kp_user_calls_all_wanted(void)
{
	return all_wanted;
}

const char *kp_user_calls_begin_all(void)
{
	const char *before = cannot;

	cannot = NULL;
	all_wanted = true;
	return before;
}

void kp_user_calls_end_all(const char *before, bool all)
{
	cannot = before;
	all_wanted = all;
}
