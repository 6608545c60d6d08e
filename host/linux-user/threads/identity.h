/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * identity.h - who executes, as probe modules and return probes see it.
 *
 * Owns: the prototypes of identity.c.
 */
#ifndef KP_USER_IDENTITY_H
#define KP_USER_IDENTITY_H

#include "env.h"

struct kp_shim_identity;

struct kp_shim_identity *kp_shim_identity(void);	/* any context */
struct kp_shim_identity *kp_shim_current(void);	/* ditto; and its name is what it is now */
void kp_shim_know_name(void);
/* The forked child's thread has a new identity. */
void kp_shim_fork(void);

#endif
