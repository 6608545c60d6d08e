/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kprobes/host.h - what <linux/kprobes.h> needs from a host in user space.
 *
 * Owns: the choice of shim headers, and the markers for functions that must
 * not be probed.
 */
#ifndef KPROBES_HOST_H
#define KPROBES_HOST_H

#include <linux/types.h>
#include <linux/list.h>
#include <linux/ptrace.h>

/* The object that uses it registers fn with the engine when it is loaded. */
#define NOKPROBE_SYMBOL(fn)						\
	static const void *const kp_nokprobe_##fn			\
	__attribute__((used, section("_kprobe_blacklist"))) = (const void *)(fn)
#define __kprobes
#define nokprobe_inline inline __attribute__((always_inline))

#endif
