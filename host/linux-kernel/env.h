/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * env.h - the C environment of the kernel host.
 *
 * Owns: where the core's basic types, errno values and memory functions come
 * from.  Here: the headers of the kernel that the module is built for.
 */
#ifndef KP_ENV_H
#define KP_ENV_H

#include <linux/types.h>
#include <linux/stddef.h>
#include <linux/errno.h>
#include <linux/string.h>
#include <linux/ptrace.h>

/*
 * The core has a member of this name.  All headers that use the kernel's macro
 * are included before it goes; local.h brings it back for the host's files.
 */
#include <kprobes/host.h>
#undef current
/* Some processors find a CPU's own data by way of the task. */
#ifdef CONFIG_THREAD_INFO_IN_TASK
#undef current_thread_info
#define current_thread_info() ((struct thread_info *)get_current())
#endif

/* The names of <stdint.h> for what <linux/limits.h> calls otherwise. */
#ifndef UINT64_MAX
#define INT8_MIN	S8_MIN
#define INT8_MAX	S8_MAX
#define INT16_MIN	S16_MIN
#define INT16_MAX	S16_MAX
#define INT32_MIN	S32_MIN
#define INT32_MAX	S32_MAX
#define UINT8_MAX	U8_MAX
#define UINT16_MAX	U16_MAX
#define UINT32_MAX	U32_MAX
#define UINT64_MAX	U64_MAX
#define INT64_MIN	S64_MIN
#define INT64_MAX	S64_MAX
#endif

/* What hits through jumps have to expect; docs/porting.md. */
#define KP_VECTORS 0
#define KP_LEFT_BEHIND 0	/* an interrupt returns */
#define KP_GROWS_NOW 0		/* kp_host_alloc_now may serve */
#define KP_CALLING_STUBS 0	/* return stubs are returned to only */
#define KP_SAVED_WORDS 1
#define KP_SAVED_WORD unsigned long
#define KP_PRIVILEGED 1		/* probed code may do what programs may not */

/* Trap-path code: a section of its own, so that a test can look at it. */
#define KP_TRAP_PATH __attribute__((section(".text.kp_trap")))

#endif
