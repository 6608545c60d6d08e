/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * knobs.h - the global switches; kp_core_enabled and kp_core_optimization are upcall.h's.
 */
#ifndef KP_CORE_KNOBS_H
#define KP_CORE_KNOBS_H

#include "site.h"

void kp_knob_set_enabled(bool on);
void kp_knob_set_optimization(bool on);

#endif
