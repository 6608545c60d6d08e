/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * unpatched.h - text with our own patches undone.
 */
#ifndef KP_CORE_UNPATCHED_H
#define KP_CORE_UNPATCHED_H

#include "site.h"

int kp_unpatched_read(uint8_t *dst, uintptr_t addr, size_t len);
/* As many of the bytes as can be read. */
size_t kp_unpatched_window(uint8_t *dst, uintptr_t addr, size_t len);

#endif
