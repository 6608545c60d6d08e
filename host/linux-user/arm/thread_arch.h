/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * thread_arch.h - the instructions of arm that read a thread's registers.
 *
 * Owns: what thread_word.h asks of a processor.
 */
#ifndef KP_USER_THREAD_ARCH_H
#define KP_USER_THREAD_ARCH_H

#define KP_THREAD_SP "mov %0, sp"
#define KP_THREAD_LOAD "ldr %0, [%1]"
#define KP_THREAD_POINTER "mrc p15, 0, %0, c13, c0, 3"

#include "thread_register.h"

#endif
