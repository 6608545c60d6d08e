/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * stubs.h - code of ours beside the program's.
 *
 * Owns: what stubs.c offers to who looks for system calls.
 */
#ifndef KP_USER_STUBS_H
#define KP_USER_STUBS_H

#include "env.h"

/*
 * len bytes whose jumps reach near and are reached from there: *at.  0 or -errno.
 * Registry lock, as all of these.
 */
int kp_user_stub_take(uintptr_t near, size_t len, uintptr_t *at);
/* The same, or as near as there is memory. */
int kp_user_stub_take_any(uintptr_t near, size_t len, uintptr_t *at);
/* They are to be there once kp_user_stubs_write has returned 0. */
void kp_user_stub_fill(uintptr_t stub, const uint8_t *bytes, size_t len);
/* 0; or an errno: since the last call some of them could not be written. */
int kp_user_stubs_write(void);
/* Does a jump from one place reach the other? */
bool kp_user_stub_reaches(uintptr_t from, uintptr_t to);

#endif
