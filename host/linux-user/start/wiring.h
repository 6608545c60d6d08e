/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * wiring.h - the tables of wiring.c.
 *
 * Owns: their names, for init.c.
 */
#ifndef KP_USER_WIRING_H
#define KP_USER_WIRING_H

#include "thread.h"
#include "threads/lock.h"
#include "objects/dso.h"

extern const struct kp_user_thread_steps kp_user_thread_steps;
extern const struct kp_user_lock_steps kp_user_lock_steps;
extern const struct kp_user_dso_steps kp_user_dso_steps;

#endif
