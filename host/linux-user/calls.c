/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * calls.c - the program's system calls that are watched, and whether all of them can be.
 *
 * Owns: which calls to watch, and why one cannot be watched.  Calls that might block SIGTRAP are
 * always watched.  From the first protected page on, calls that may write to memory are watched
 * too. ARCH/syscalls.c finds their instructions.
 *
 * Locks: the registry lock.
 */
#include "pages.h"
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
static bool all_wanted;			/* those that may write, too; for good */

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

/*
 * Where a probe's bytes stand, the text tells nothing of what it hides.  Once they are
 * all watched no probe comes there.
 */
#define CHUNK 4096u
#define UNIT KP_CODE_UNIT

static bool hidden_by_probe(uintptr_t start, size_t len)
{
	static uint8_t text[CHUNK + KP_SYSCALL_LEN];
	size_t at, i, nr;

	for (at = (UNIT - start % UNIT) % UNIT; at < len; at += CHUNK) {
		nr = len - at < sizeof(text) ? len - at : sizeof(text);
		if (kp_core_original_locked(text, start + at, nr))
			continue;
		for (i = 0; i + KP_SYSCALL_LEN <= nr; i += UNIT)
			if (kp_is_call(text + i) &&
			    memcmp((const void *)(start + at + i), text + i, KP_SYSCALL_LEN) &&
			    !kp_user_intercept_overlaps(start + at + i, KP_SYSCALL_LEN))
				return true;
	}
	return false;
}

int kp_user_calls_all(const char **reason)
{
	const char *before = cannot;

	if (all_wanted)
		return 0;
	if (kp_user_dso_any(hidden_by_probe)) {
		*reason = "a probe is on a system call of the program's, which has to be looked at while pages are protected";
		return -EBUSY;
	}
	cannot = NULL;
	all_wanted = true;
	kp_user_dso_scan_again();
	if (!cannot && kp_user_intercept_arm())
		cannot = "a breakpoint could not be written";
	if (cannot) {
		*reason = "not all system calls of the program can be looked at while pages are protected";
		all_wanted = false;
		cannot = before;
		return -ENOSPC;
	}
	cannot = before;
	return 0;
}
