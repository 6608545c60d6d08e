/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * boundary.h - does an instruction start here?
 */
#ifndef KP_CORE_BOUNDARY_H
#define KP_CORE_BOUNDARY_H

#include "site.h"

void kp_boundary_reset(void);
int kp_boundary_check(uintptr_t start, uintptr_t addr, unsigned int text_flags);

#endif
