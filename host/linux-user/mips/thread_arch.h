/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * thread_arch.h - the instructions of MIPS that read a thread's registers.
 *
 * Owns: what thread_word.h asks of a processor.
 */
#ifndef KP_USER_THREAD_ARCH_H
#define KP_USER_THREAD_ARCH_H

#define KP_THREAD_SP "move %0, $29"
#define KP_THREAD_LOAD "lw %0, 0(%1)"
#define KP_THREAD_POINTER ".set push\n\t.set mips32r2\n\trdhwr %0, $29\n\t.set pop"

#include "thread_register.h"

#endif
