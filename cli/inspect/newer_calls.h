/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * newer_calls.h - system calls that are newer than the C library's list of numbers may be.
 *
 * Owns: their numbers, which are the same on all processors, counted from the first of a
 * processor's (CALLS_FIRST, where calls.h has one).
 */
#ifndef KP_CLI_NEWER_CALLS_H
#define KP_CLI_NEWER_CALLS_H

#include "calls.h"

#ifndef CALLS_FIRST
#define CALLS_FIRST 0
#endif

#define NR_pidfd_send_signal (CALLS_FIRST + 424)
#define NR_io_uring_setup (CALLS_FIRST + 425)
#define NR_io_uring_enter (CALLS_FIRST + 426)
#define NR_open_tree (CALLS_FIRST + 428)
#define NR_move_mount (CALLS_FIRST + 429)
#define NR_fsopen (CALLS_FIRST + 430)
#define NR_pidfd_open (CALLS_FIRST + 434)
#define NR_clone3 (CALLS_FIRST + 435)
#define NR_close_range (CALLS_FIRST + 436)
#define NR_openat2 (CALLS_FIRST + 437)
#define NR_pidfd_getfd (CALLS_FIRST + 438)
#define NR_process_madvise (CALLS_FIRST + 440)
#define NR_epoll_pwait2 (CALLS_FIRST + 441)
#define NR_mount_setattr (CALLS_FIRST + 442)
#define NR_process_mrelease (CALLS_FIRST + 448)
#define NR_futex_waitv (CALLS_FIRST + 449)
#define NR_fchmodat2 (CALLS_FIRST + 452)

#endif
