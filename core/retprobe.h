/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * retprobe.h - registering return probes.
 */
#ifndef KP_CORE_RETPROBE_H
#define KP_CORE_RETPROBE_H

#include "site.h"

void kp_return_bury_orphans(void);
int kp_return_stop(void);	/* -EBUSY: calls are out whose stubs are needed */

#endif
