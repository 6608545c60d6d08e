/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * engine.h - is some text still ours?  And the end of all sites.
 */
#ifndef KP_CORE_ENGINE_H
#define KP_CORE_ENGINE_H

#include "site.h"

bool kp_engine_left(void);
void kp_engine_free(void);

#endif
