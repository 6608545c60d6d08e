/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * env.h - the C environment of the process host.
 *
 * Owns: where the core's basic types, errno values and memory functions come
 * from.  Here: compiler headers; memcpy and the like are our own (mem.c), since
 * the trap path may interrupt or be probed inside the C library.
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

#include "env_arch.h"

/* Of the objects that come together with us; elf.h has the numbers. */
#define KP_ELF_CLASS (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)

/* What hits through jumps have to expect; docs/porting.md. */
#define KP_LEFT_BEHIND 1	/* a signal's handler need not return */
#define KP_GROWS_NOW 1		/* kp_host_alloc_now may serve */
#define KP_SAVED_WORDS 2
#define KP_SAVED_WORD uint64_t

/* Trap-path code: a section of its own, so that a test can look at it. */
#define KP_TRAP_PATH __attribute__((section(".text.kp_trap")))

#endif
