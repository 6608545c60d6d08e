/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * calls_all.c - from now on, each system call of the program that may write is watched.
 *
 * Owns: the way there, at the first protected page: what is watched by then is looked at again.
 *
 * Locks: the registry lock.
 */
#include "watch/calls_all.h"
#include "machine.h"
#include "upcall.h"
#include "text/intercept.h"
#include "objects/dso.h"
#include "signals/calls.h"

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
	const char *before, *cannot;

	if (kp_user_calls_all_wanted())
		return 0;
	if (kp_user_dso_any(hidden_by_probe)) {
		*reason = "a probe is on a system call of the program's, which has to be looked at while pages are protected";
		return -EBUSY;
	}
	before = kp_user_calls_begin_all();
	kp_user_dso_scan_again();
	cannot = kp_user_calls_missed();
	if (!cannot && kp_user_intercept_arm())
		cannot = "a breakpoint could not be written";
	if (cannot)
		*reason = "not all system calls of the program can be looked at while pages are protected";
	kp_user_calls_end_all(before, !cannot);
	return cannot ? -ENOSPC : 0;
}
