// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * anchor.c - a function that is never called, with an ftrace site.
 *
 * Owns: the one function of the engine that is compiled for tracing (Kbuild),
 * so that a filter of ours is never empty (ftrace.c).
 */
#include "local.h"

static noinline __used void anchor(void)
{
	barrier();
}

/* 0 when this kernel has no ftrace sites. */
uintptr_t kp_ftrace_anchor_site(void)
{
	return kp_ftrace_site((uintptr_t)anchor, 16);
}
