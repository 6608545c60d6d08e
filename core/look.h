/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * look.h - what others have made of our breakpoints and jumps.
 */
#ifndef KP_CORE_LOOK_H
#define KP_CORE_LOOK_H

#include "site.h"

#endif
