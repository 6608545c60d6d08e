/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * atomics.h - does the machine report atomics to who watches reads, too?
 *
 * Owns: nothing; perf_told.h asks for either mode of x86.
 */
#include "perf_told.h"
