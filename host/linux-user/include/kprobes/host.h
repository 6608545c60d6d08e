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
#include <kprobes/process.h>

/* When the object that uses it is loaded, the engine is told about fn. */
#define NOKPROBE_SYMBOL(fn)						\
	__attribute__((constructor)) static void kp_nokprobe_##fn(void)	\
	{								\
		kp_process_nokprobe((const void *)(fn), #fn);		\
	}								\
	_Static_assert(1, "takes the semicolon")
/* The engine looks for this section in each object. */
#define __kprobes __attribute__((section(".kprobes.text")))
#define nokprobe_inline inline __attribute__((always_inline))

/*
 * Called through a word that is filled in and read-only when the object is loaded.  So
 * the engine can see in a handler's code that it is called.
 */
#define KP_BOUND_EARLY __attribute__((noplt))

#endif
