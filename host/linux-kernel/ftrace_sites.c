// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * ftrace_sites.c - the sites that ftrace owns, at the entries of traced functions.
 *
 * Owns: where they are, and what they hold when no function is called.  ARCH/ftrace.c uses them.
 *
 * No locks.
 */
#include "local.h"

/* Modules may be too far away for the call that the kernel's own text has. */
#ifndef KP_FTRACE_IDLE_MODULE
#define KP_FTRACE_IDLE_MODULE KP_FTRACE_IDLE
#endif

static const uint8_t idle_core[KP_FTRACE_LEN] = KP_FTRACE_IDLE;
static const uint8_t idle_module[KP_FTRACE_LEN] = KP_FTRACE_IDLE_MODULE;

/* The ftrace site in [addr, addr+len), or 0. */
uintptr_t kp_ftrace_site(uintptr_t addr, size_t len)
{
	return kp_hidden.ftrace_location_range ?
	       kp_kernel_ftrace_location_range(addr, addr + len - 1) : 0;
}

/* Any of the sites in [low, high], then those on both sides of it. */
static void undo_between(uint8_t *bytes, uintptr_t addr, uintptr_t low,
			 uintptr_t high)
{
	uintptr_t site = kp_ftrace_site(low, high - low + 1), at;
	const uint8_t *idle;

	if (!site)
		return;
	idle = kp_text_is_core(site) ? idle_core : idle_module;
	for (at = max(site, low); at <= min(site + KP_FTRACE_LEN - 1, high); at++)
		bytes[at - addr] = idle[at - site];
	if (site > low)
		undo_between(bytes, addr, low, site - 1);
	if (site + KP_FTRACE_LEN <= high)
		undo_between(bytes, addr, site + KP_FTRACE_LEN, high);
}

/* Whatever ftrace has written there, or is just writing. */
void kp_host_tracer_undo(uint8_t *bytes, uintptr_t addr, size_t len)
{
	if (len)
		undo_between(bytes, addr, addr, addr + len - 1);
}
