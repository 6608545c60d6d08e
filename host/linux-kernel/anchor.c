// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * anchor.c - functions of the engine that have an ftrace site.
 *
 * Owns: the functions that are compiled for tracing (Kbuild): one that is never called, so that a
 * filter of ours is never empty (ftrace.c), and the self-test's.
 */
#include "local.h"

static noinline __used void anchor(void)
{
	/* Orders nothing: a body that no compiler leaves out. */
	barrier();
}

long kp_trial_traced(long n)
{
	return n + 1;
}

/* 0 when this kernel has no ftrace sites. */
uintptr_t kp_ftrace_anchor_site(void)
{
	return kp_ftrace_site((uintptr_t)anchor, 16);
}
