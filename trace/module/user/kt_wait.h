/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kt_wait.h - how a program's host waits for who holds a word (shared/split64/halves.c), in a process.
 */
#ifndef KT_WAIT_H
#define KT_WAIT_H

#include "kt_host.h"
#include "shared/split64/yielding.h"

#endif
