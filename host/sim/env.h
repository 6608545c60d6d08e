/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * env.h - the C environment of the simulated host.
 *
 * Owns: where the core's basic types, errno values and memory functions come
 * from.  Here: the C library of whatever machine runs the unit tests.
 */
#ifndef KP_ENV_H
#define KP_ENV_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <linux/types.h>
#include <linux/ptrace.h>

/* What hits through jumps have to expect; docs/porting.md. */
#define KP_VECTORS 1
#define KP_LEFT_BEHIND 1	/* as in a process */
#define KP_GROWS_NOW 0		/* kp_host_alloc_now may serve */
#define KP_CALLING_STUBS 0	/* return stubs are returned to only */
#define KP_SAVED_WORDS 2
#define KP_SAVED_WORD uint64_t

/* Trap-path code: a section of its own, so that a test can look at it. */
#define KP_TRAP_PATH __attribute__((section(".text.kp_trap")))

#endif
