/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * shim.h - the functions behind the shim headers.
 *
 * Owns: the prototypes of shim.c.
 */
#ifndef KP_USER_SHIM_H
#define KP_USER_SHIM_H

#include "env.h"

struct kp_shim_symbol;

int kp_shim_symbol(struct kp_shim_symbol *out, uintptr_t addr);

#endif
