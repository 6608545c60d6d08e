/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * no_backtrace.c - traces of hooked calls, where unwinders cannot pass our stubs.
 *
 * Owns: leaving them as they are: they end at the stub.  The tables of this binary interface
 * describe a frame by what is on its stack alone, and the real caller is not there.
 */
#include "user.h"

void kp_host_returns_hooked(bool on)
{
	(void)on;
}

void kp_user_frames_loaded(void)
{
}

void kp_user_frames_gone(uintptr_t start, size_t len)
{
	(void)start;
	(void)len;
}
